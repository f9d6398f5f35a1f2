import type { Controller } from "./controller.ts";
import type { SourceKind } from "./declare/declaration.ts";
import { explainTarget } from "./observe/explain-target.ts";
import type { ObjectTarget } from "./observe/explain-target.ts";
import type { Explanation } from "./observe/explanation.ts";
import { whyNotWatched } from "./observe/left-clusters.ts";
import type { AuditReport, Decision, Observed, Readiness, Role } from "./observe/observed.ts";
import type { ReasonFacts } from "./observe/reasons.ts";
import { StateCounter } from "./observe/state-counter.ts";
import type { StateCounts } from "./observe/state.ts";
import { statusOf } from "./observe/status.ts";
import type { Status } from "./observe/status.ts";
import type { Target } from "./observe/target.ts";
import { writerFacts } from "./observe/writer-facts.ts";
import type { GroupRecord } from "./write/group-record.ts";
import { unpackSource } from "./shard/pack.ts";
import { bytesOfText } from "./store/byte-text.ts";
import { sourceKinds } from "./store/source-kinds.ts";
import type { Kind, KindHealth } from "./watch/events.ts";

const unread = "APISIX has not been read as a whole";

/** What a running controller tells, from what its stages know; changes nothing but as an operator asks: `approve` and all that `Observed` has after it. */
export class Observation implements Observed {
  readonly facts: ReasonFacts;
  readonly #controller: Controller;
  readonly #counter: StateCounter;
  #isStopping = false;
  /** Seconds of the shards' threads that the metrics have been told. */
  #shardCpu = 0;

  constructor(controller: Controller) {
    this.#controller = controller;
    const { writer, firstReconcile, parts } = controller;
    const { clock } = parts;
    this.facts = writerFacts({
      ...{ clock, writer },
      hidden: (record) => this.#hidden(record),
      ...{ waitsFor: () => firstReconcile.waitsFor(), lookUp: (name) => controller.clusters.lookUp(name) },
    });
    this.#counter = new StateCounter({ clock, records: writer.records, facts: this.facts });
  }

  stopping(): void {
    this.#isStopping = true;
  }

  role(): Role {
    if (this.#isStopping) return "stopping";
    return this.#controller.firstReconcile.isDone ? "leader" : "starting";
  }

  leader(): string | undefined {
    return undefined;
  }

  ready(): Readiness {
    const { firstReconcile, audit } = this.#controller;
    const waitingFor = [
      ...(audit.last === undefined ? [unread] : []),
      ...(audit.last === undefined && audit.trouble !== undefined ? [audit.trouble] : []),
      ...firstReconcile.waitsFor().map((cluster) => `cluster ${cluster} has not been listed`),
    ];
    if (waitingFor.length === 0 && !firstReconcile.isDone)
      waitingFor.push("the first reconcile is being written");
    if (this.#isPaused) waitingFor.push("writes are paused, until POST /resume");
    const ready = firstReconcile.isDone && !this.#isStopping;
    return {
      ...{ ready, role: this.role(), waitingFor: ready ? [] : waitingFor, degraded: this.#degraded() },
      ...(this.#isPaused ? { paused: true } : {}),
      ...(this.#isShadow ? { shadow: true } : {}),
    };
  }

  counts(): Promise<StateCounts> {
    return this.#counter.counts();
  }

  async status(): Promise<Status> {
    const { writer, audit, identities, shards, config, metrics, parts } = this.#controller;
    const { claims, bursts, guard, breaker } = writer;
    const totals = metrics.totals();
    return statusOf({
      role: this.role(),
      leader: this.leader(),
      ...{ paused: this.#isPaused, shadow: this.#isShadow },
      clusters: config.clusters.map(({ name, weight }) => ({
        ...{ name, weight, uid: identities.uidOf(name), kinds: this.#health(name) },
      })),
      queues: {
        drip: writer.dripDepth,
        burst: writer.pacer.depth("burst"),
        nextBurstAt: claims.pending ? parts.clock.wall() + bursts.wait : undefined,
      },
      routes: await this.counts(),
      guard: guard.status(),
      gateway: { state: breaker.state, version: audit.last?.version, routes: audit.routes },
      ...{ forged: audit.last?.forged ?? [], usedByOthers: writer.retries.used },
      events: totals.events,
      workers: {
        restarts: totals.workerRestarts,
        quarantined: shards
          .quarantined()
          .map(({ cluster, kind, namespace, name }) => `${cluster}/${kind}/${namespace}/${name}`),
      },
    });
  }

  explain(target: Target): Promise<Explanation> {
    const { writer, shards, audit, parts, config, clusters } = this.#controller;
    return explainTarget(target, {
      ...{ clock: parts.clock, records: writer.records, facts: this.facts },
      explain: (query) => shards.explain(query),
      foreign: () => audit.last?.foreign ?? [],
      intruder: (id) => writer.claims.intruder(id),
      clusters: () => config.clusters.map(({ name }) => name),
      ...{ lookUp: (name) => clusters.lookUp(name), whyClustersUnknown: () => clusters.whyUnknown() },
      annotated: (target) => this.#annotated(target),
      whyUnseen: (name, source) => this.whyUnseen(name, source),
    });
  }

  async metrics(): Promise<string> {
    const { writer, config, metrics, shards } = this.#controller;
    const { cpu } = shards;
    metrics.stageCpu("diff", cpu - this.#shardCpu);
    this.#shardCpu = cpu;
    return metrics.text({
      declarations: await this.counts(),
      clusters: config.clusters.map(({ name }) => ({ name, kinds: this.#health(name) })),
      queues: { drip: writer.dripDepth, burst: writer.pacer.depth("burst") },
      nextBurst: writer.bursts.wait,
      guardHeld: writer.guard.status().held,
      isLeader: this.role() === "leader",
    });
  }

  approve(batch: string): number | undefined {
    return this.#controller.writer.approve(batch);
  }

  pause(): Promise<void> {
    return this.#controller.writer.pause.begin();
  }

  resume(): void {
    this.#controller.writer.pause.end();
  }

  async audit(): Promise<AuditReport> {
    const { audit } = this.#controller;
    const drifted = await audit.run();
    if (drifted !== undefined) return { ok: true, drifted };
    return { ok: false, drifted: 0, reason: [unread, audit.trouble].filter(Boolean).join(": ") };
  }

  accept(cluster: string): Promise<Decision> {
    return this.#controller.decisions.accept(cluster);
  }

  purge(cluster: string): Promise<Decision> {
    return this.#controller.decisions.purge(cluster);
  }

  get #isPaused(): boolean {
    return this.#controller.writer.pause.isOn;
  }

  get #isShadow(): boolean {
    return this.#controller.parts.isShadow ?? false;
  }

  /**
   * Why something of a cluster is not known now, or why nothing of one kind of source in it is; undefined: all that is
   * asked for is seen.
   */
  whyUnseen(cluster: string, source?: SourceKind): string | undefined {
    const { intake } = this.#controller;
    // Asked of each group that changes: the health of a cluster is put together only where something is missing.
    if (source !== undefined && sourceKinds[source].feeds.every((kind) => intake.sees(cluster, kind)))
      return undefined;
    const configured = this.#controller.clusters.lookUp(cluster);
    if (configured.is !== "watched") return whyNotWatched(cluster, configured);
    const kinds =
      source === undefined ? this.#health(cluster).map(([kind]) => kind) : sourceKinds[source].feeds;
    const missing = kinds.find((kind) => !intake.sees(cluster, kind));
    return missing && this.#whyKind(cluster, missing);
  }

  #whyKind(cluster: string, kind: Kind): string {
    const health = new Map(this.#health(cluster)).get(kind);
    if (health === undefined) return `its ${kind} are not watched`;
    return health.state === "degraded" ? health.reason : "it is still being listed";
  }

  /** Nothing is said of an object that its shard is kept from: what it declares has not been read. */
  #annotated({ cluster, namespace, source, name }: ObjectTarget): boolean | undefined {
    const kind = sourceKinds[source].objects;
    const { store, shards } = this.#controller;
    const isKeptOut = shards
      .quarantined()
      .some(
        (one) =>
          one.cluster === cluster && one.kind === kind && one.namespace === namespace && one.name === name,
      );
    const packed = isKeptOut ? undefined : store.get({ cluster, kind, namespace, name });
    return packed === undefined ? undefined : unpackSource(kind, bytesOfText(packed)).routes !== undefined;
  }

  #hidden({ identity, change }: Pick<GroupRecord, "identity" | "change">): string | undefined {
    const { share, cluster, kind, namespace } = identity;
    if (!this.#controller.clusters.covers(identity))
      return `namespace ${namespace} is not among those that are watched in ${cluster}`;
    // Of a fleet group only the part of a cluster is hidden, and the shard says whose.
    const why = share === "fleet" ? undefined : this.whyUnseen(cluster, kind);
    if (why !== undefined) return `${cluster} is not seen now: ${why}`;
    const { intake } = this.#controller;
    const onNodes = share === "fleet" ? [] : (change?.nodeClusters ?? []);
    const blind = onNodes.find((one) => !intake.sees(one, "nodes"));
    if (blind !== undefined)
      return `the Nodes of ${blind} are not seen now: ${this.#whyKind(blind, "nodes")}`;
    return this.#controller.shards.isUp(identity) ? undefined : "its shard is being started again";
  }

  #health(cluster: string): [Kind, KindHealth][] {
    const { clusters, intake } = this.#controller;
    const health = Object.entries(clusters.watches.get(cluster)?.health() ?? {}) as [Kind, KindHealth][];
    const reason = intake.refusal(cluster);
    if (reason === undefined) return health;
    return health.map(([kind, { since, objects }]) => [kind, { state: "degraded", since, objects, reason }]);
  }

  #degraded(): string[] {
    const { config, clusters } = this.#controller;
    const kinds = config.clusters.flatMap(({ name }) => degradedKinds(name, this.#health(name)));
    return [...kinds, ...clusters.troubles()];
  }
}

/** One sentence for each reason; a cluster of which nothing is seen for one and the same reason is named alone. */
function degradedKinds(cluster: string, kinds: readonly (readonly [Kind, KindHealth])[]): string[] {
  const reasons = new Map<string, Kind[]>();
  for (const [kind, health] of kinds) {
    if (health.state === "degraded")
      reasons.set(health.reason, [...(reasons.get(health.reason) ?? []), kind]);
  }
  return [...reasons].map(([reason, those]) =>
    those.length === kinds.length ? `${cluster}: ${reason}` : `${cluster}/${those.join(", ")}: ${reason}`,
  );
}
