import { AdminClient } from "./apisix/admin-client.ts";
import { answers } from "./apisix/answers.ts";
import { takeSnapshot, type Snapshot } from "./apisix/snapshot.ts";
import type { AdminTransport } from "./apisix/transport.ts";
import { ClusterDecisions } from "./cluster-decisions.ts";
import { changeClusters } from "./change-clusters.ts";
import { Clusters } from "./clusters.ts";
import type { Config } from "./config.ts";
import { Draining } from "./draining.ts";
import { consumedFields } from "./filter/consumed.ts";
import { Filter } from "./filter/pass.ts";
import { FirstReconcile } from "./first-reconcile.ts";
import { Identities } from "./identities.ts";
import { Intake } from "./intake.ts";
import { NodeWatching } from "./node-watching.ts";
import { Observation } from "./observation.ts";
import type { Metrics } from "./observe/metrics.ts";
import { timedReads } from "./observe/timed-reads.ts";
import { ProblemReports } from "./problem-reports.ts";
import { objectReaders } from "./protobuf/object-reader.ts";
import type { Clock, Log, Random } from "./runtime.ts";
import type { LostReason, ShardLinks } from "./shard/link.ts";
import { packers, unpackEndpointSlice } from "./shard/pack.ts";
import { Shards } from "./shard/shards.ts";
import { shardOptionsOf, shardSeeds } from "./shard-seeds.ts";
import { StageTimes } from "./stage-times.ts";
import { ObjectStore } from "./store/object-store.ts";
import { feedsOf } from "./store/source-kinds.ts";
import type { KubeConnection } from "./watch/kube-connection.ts";
import type { ClustersChange, Configured, Watched } from "./watched.ts";
import { Audit } from "./write/audit.ts";
import { Writer } from "./write/writer.ts";

/** The outside world, handed in: sockets and threads in the product, memory in the simulation. */
export interface ControllerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly connect: (cluster: Watched, signal?: AbortSignal) => Promise<KubeConnection>;
  readonly admin: AdminTransport;
  readonly links: ShardLinks;
  readonly shardCount: number;
  /** `admin` only makes its writes up: said wherever the state is told. */
  readonly isShadow?: boolean;
  /** A fault of the translator itself: what follows cannot be trusted. */
  readonly fault: (error: unknown) => void;
}

/** Every stage, wired in the order of the data; nothing else knows all of them. */
export class Controller {
  readonly parts: ControllerParts;
  readonly store = new ObjectStore();
  readonly metrics: Metrics;
  readonly clusters: Clusters;
  readonly identities: Identities;
  readonly intake: Intake;
  readonly shards: Shards;
  readonly writer: Writer;
  readonly audit: Audit;
  readonly firstReconcile: FirstReconcile;
  readonly decisions: ClusterDecisions;
  readonly observation: Observation;
  readonly problems: ProblemReports;
  #config: Config;
  readonly #nodes: NodeWatching;
  readonly #draining: Draining;
  #stopping: Promise<void> | undefined;

  constructor(config: Config, parts: ControllerParts) {
    this.#config = config;
    this.parts = parts;
    const { clock, random, log, fault } = parts;
    const { instance, gateway } = config;
    const admin = timedReads(parts.admin, clock, parts.metrics);
    const client = new AdminClient({ transport: admin, timeout: gateway.timeout });

    const times = new StageTimes(clock, parts.metrics.stageCpu);
    const { time } = times;

    this.metrics = parts.metrics;
    this.shards = new Shards({
      ...{ count: parts.shardCount, options: shardOptionsOf(config), log },
      ...{ links: times.links(parts.links), clock: times.clock("shard") },
      ...shardSeeds(config, parts.shardCount, this.store, () => this.writer.records.all()),
      on: {
        changes: (changes, bodies) => time("write", () => this.writer.words.takeAll(changes, bodies)),
        need: (id, identity) => void this.writer.words.need(id, identity).catch(fault),
        parts: (parts) => this.writer.words.takeParts(parts),
        nodes: (shard, cluster, isWanted) => this.#nodes.wants(shard, cluster, isWanted),
        lost: (shard, reason) => this.#shardLost(shard, reason),
        restored: (shard) => this.#shardRestored(shard),
        quarantined: (object) => this.problems.quarantined(object),
      },
      freeRequests: () => this.writer.freeRequests,
    });
    this.writer = new Writer(config, {
      ...{ clock: times.clock("write"), time, random, log, admin: client },
      ...{ shards: this.shards, observer: this.metrics, fault },
      isVisible: (record) => this.intake.visibility.of(record) && this.shards.isUp(record.identity),
      mayGo: (record) => this.intake.visibility.mayGo(record),
      probe: () => answers(client),
      routes: () => this.audit.routes ?? 0,
      refreshForeign: () => this.audit.refreshForeign(),
      isForeignKnown: (lastTrouble) => this.audit.isForeignKnown(lastTrouble),
      ...{
        routeTaken: () => this.audit.outdateForeign(),
        recovered: () => void this.audit.run().catch(fault),
      },
      touched: (record) => this.problems.touched(record),
      strayed: (change) => this.problems.stray(change),
      burstOver: () => this.problems.review(),
    });
    this.audit = new Audit({
      ...{ clock, log, interval: config.audit.interval, writer: this.writer, fault },
      take: (onStrangers, only) =>
        takeSnapshot({
          ...{ transport: admin, clock, instance, onStrangers, ...(only === undefined ? {} : { only }) },
          ...{ timeout: gateway.timeout, maxListBytes: gateway.maxListBytes },
        }),
    });
    this.identities = new Identities(() => this.clusters.watched.map(({ name }) => name));
    this.intake = new Intake({
      ...{ clock, log, fault, store: this.store, identities: this.identities },
      ...{ shards: this.shards, writer: this.writer },
      quiet: config.throttle.quiet,
      covers: (place) => this.clusters.covers(place),
      filter: new Filter({ store: this.store, packers, unpackSlice: unpackEndpointSlice }),
      observe: (kind, outcome) => this.metrics.event(kind, outcome),
      moved: () => this.#moved(),
    });
    this.clusters = new Clusters(config, {
      ...{ clock, random, log, fault, connect: parts.connect, kinds: feedsOf(config.sources) },
      readers: objectReaders(consumedFields, random),
      emit: (event) => time("filter", () => this.intake.take(event)),
      unreadable: (kind) => this.metrics.event(kind, "unreadable"),
      refusals: this.intake.refusals,
      changed: (change) => this.#become(change),
      readdressed: (cluster) => void this.problems.forget(cluster).catch(fault),
      attempted: (cluster, over) => {
        this.intake.giveUp(cluster, over);
        this.firstReconcile.review();
      },
      moved: () => this.#moved(),
    });
    const { clusters, intake, writer, identities, audit } = this;
    this.#nodes = new NodeWatching({
      follow: (cluster) => clusters.watches.get(cluster)?.follow("nodes"),
      unfollow: (cluster) => {
        clusters.watches.get(cluster)?.unfollow("nodes");
        intake.unfollow(cluster, "nodes");
      },
    });
    this.firstReconcile = new FirstReconcile({ clock, writer, intake, clusters });
    this.#draining = new Draining({
      ...{ clock, writer, intake, fault, clusters: () => this.config.clusters },
      isAwaited: (name) => clusters.watches.get(name)?.firstAttemptOver !== true,
    });
    this.decisions = new ClusterDecisions({ clock, log, clusters, identities, intake, audit, writer });
    this.observation = new Observation(this);
    this.problems = new ProblemReports({
      ...{ clock, random, log, config, fault, shards: this.shards, store: this.store },
      ...{ facts: this.observation.facts, records: writer.records, connect: parts.connect },
      clusterOf: (wanted) => this.#config.clusters.find(({ name }) => name === wanted),
    });
  }

  /** As it is in force now; `clusters`: all that are watched, those out of Secrets too. */
  get config(): Config {
    return this.#config;
  }

  /**
   * Resolves to what stands in APISIX, once that is known and its reconciling has begun; undefined: stopped before.
   *
   * @param watch false: no cluster is, so nothing is written but what an operator asks for; those out of Secrets are found.
   * @throws TranslatorError with patience `once` (at each URL of the Admin API): why APISIX could not be read.
   */
  async start(
    patience: "forever" | "once" = "forever",
    { watch = true } = {},
  ): Promise<Snapshot | undefined> {
    await this.shards.start().catch((error: unknown) => {
      if (this.#stopping === undefined) throw error;
    });
    if (this.#stopping !== undefined) return undefined;
    this.clusters.start({ watch });
    const looks = patience === "once" ? this.config.gateway.adminUrls.length : Infinity;
    const found = await this.audit.start(looks);
    if (this.#stopping !== undefined) return undefined;
    if (found !== undefined) this.identities.learn(found);
    this.clusters.reviewHome();
    this.writer.start();
    this.intake.begin();
    this.firstReconcile.begin();
    this.#draining.review();
    return found;
  }

  /** `clusters` and `policy` are others now; of a cluster that is not there any more everything stays as it stands. */
  configure({ clusters, policy }: Pick<Config, "clusters" | "policy">): void {
    this.#config = { ...this.#config, policy };
    this.writer.limiting.configure(policy.maxRoutesPerNamespace);
    this.clusters.configure(clusters);
  }

  /** What is in flight ends; nothing more is sent. May be called at any time, and again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.audit.stop();
    this.firstReconcile.stop();
    this.#draining.stop();
    await Promise.all([this.writer.stop(), this.problems.stop()]);
    await this.clusters.stop();
    this.intake.stop();
    await this.shards.stop();
  }

  #become(change: ClustersChange): void {
    const before = this.#config.clusters;
    this.#config = { ...this.#config, clusters: change.watched };
    const { log, fault } = this.parts;
    const { intake, shards, writer, problems } = this;
    const lookUp = (name: string): Configured => this.clusters.lookUp(name);
    const parts = { log, fault, intake, shards, writer, problems, lookUp, nodes: this.#nodes };
    changeClusters(change, before, this.#config, parts);
    this.#draining.review();
  }

  /** What is seen has changed. */
  #moved(): void {
    this.firstReconcile.review();
    this.#draining.review();
  }

  #shardLost(shard: number, reason: LostReason): void {
    this.metrics.workerRestarted(reason);
    this.#nodes.lost(shard);
    this.writer.words.unhear((identity) => this.shards.shardOf(identity) === shard);
  }

  #shardRestored(shard: number): void {
    this.#nodes.restored(shard);
    this.writer.words.rehear((identity) => this.shards.shardOf(identity) === shard);
  }
}
