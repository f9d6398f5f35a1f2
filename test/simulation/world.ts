import type { Config } from "../../src/config.ts";
import type { Cancel } from "../../src/runtime.ts";
import type { AdminExchange } from "../../src/sim/admin/admin-exchange.ts";
import { EmbeddedAdmin } from "../../src/sim/admin/embedded-admin.ts";
import { memoryAdminTransport } from "../../src/sim/admin/memory-transport.ts";
import { BreakerCheck } from "./checks/breaker-check.ts";
import type { Check, Invariant, Violation } from "./checks/check.ts";
import { FleetCheck } from "./checks/fleet-check.ts";
import { GraceCheck } from "./checks/grace-check.ts";
import { GuardCheck } from "./checks/guard-check.ts";
import { LeadCheck } from "./checks/lead-check.ts";
import { NoOpCheck } from "./checks/no-op-check.ts";
import { OrderCheck } from "./checks/order-check.ts";
import { OwnershipCheck } from "./checks/ownership-check.ts";
import { PairCheck } from "./checks/pair-check.ts";
import { PauseCheck } from "./checks/pause-check.ts";
import { TruthCheck } from "./checks/truth-check.ts";
import { GatewayView } from "./gateway-view.ts";
import { Operator } from "./operator.ts";
import type { Body } from "./oracle/ownership.ts";
import type { Plant } from "./plant.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Configuration, Setup } from "./setup.ts";
import { configOf, firstConfiguration, withConfiguration } from "./setup.ts";
import { heardKinds, SimCluster } from "./sim-cluster.ts";
import { Trace } from "./trace.ts";
import { Processes } from "./processes.ts";
import type { TranslatorProcess } from "./translator-process.ts";
import { TruthHistory } from "./truth-history.ts";
import { VirtualTime } from "./virtual-time.ts";
import type { SentRequest } from "./wire/admin-tap.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly setup: Setup;
  readonly plant?: Plant | undefined;
  readonly echo?: ((line: string) => void) | undefined;
}

/** Clusters, APISIX, and the translator between them, all on one clock and from one seed; and the checks around them. */
export class World {
  readonly setup: Setup;
  /** As it was first; see `configuration` for what changes. */
  readonly config: Config;
  configuration: Configuration;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly admin: EmbeddedAdmin;
  readonly gateway: GatewayView;
  readonly clusters: ReadonlyMap<string, SimCluster>;
  readonly history: TruthHistory;
  readonly processes: Processes;
  readonly operator: Operator;
  violation: Violation | undefined;
  /** Ids of the translator's writes that changed something, in order. */
  readonly writes: string[] = [];
  requests = 0;
  lastWriteAt = 0;
  readonly #plant: Plant | undefined;
  readonly #checks: readonly Check[];
  readonly #byTag = new Map<number, SentRequest>();
  #tags = 0;

  constructor({ seed, setup, plant, echo }: WorldOptions) {
    this.setup = setup;
    this.config = configOf(setup);
    this.configuration = firstConfiguration(setup);
    this.random = new SeededRandom(seed).fork("world");
    this.time = new VirtualTime(this.random.fork("turns"), setup.shuffled);
    this.trace = new Trace(() => this.time.now(), echo);
    this.#plant = plant;
    this.admin = new EmbeddedAdmin({ clock: this.time, random: this.random.fork("admin").next });
    this.gateway = new GatewayView(this.admin, this.config.instance);
    this.history = new TruthHistory(
      this.config.instance,
      () => this.configuration,
      () => this.time.now(),
    );
    this.clusters = new Map(
      setup.clusters.map((name) => [name, new SimCluster(name, setup, this.time, this.random.fork(name))]),
    );
    this.#checks = [
      new OwnershipCheck(this),
      new TruthCheck(this),
      new FleetCheck(this),
      new PairCheck(this),
      new NoOpCheck(this),
      new OrderCheck(this),
      new GuardCheck(this),
      new LeadCheck(this),
      new PauseCheck(this),
      new GraceCheck(this),
      new BreakerCheck(this),
    ];
    this.processes = this.#processes();
    this.operator = new Operator(this, (run) => this.#each(run));
    this.admin.onExchange((exchange) => this.#applied(exchange));
    for (const cluster of this.clusters.values()) this.#follow(cluster);
  }

  /** The process that leads; undefined between two, and from the moment at which it is told to stop. */
  get process(): TranslatorProcess | undefined {
    return this.processes.leader;
  }

  processOf(request: SentRequest): TranslatorProcess {
    return this.processes.of(request);
  }

  /** Who holds the Lease, as its cluster has it; `""`: nobody. */
  leaseHolder(): string {
    const { cluster, namespace, lease } = this.config.leader;
    const found = this.clusters.get(cluster ?? "")?.store.get("leases", `${namespace}/${lease}`);
    const { holderIdentity } = (found?.spec ?? {}) as { holderIdentity?: string };
    return holderIdentity ?? "";
  }

  violate(invariant: Invariant, text: string): void {
    this.trace.say("VIOLATION", `invariant ${invariant}: ${text}`);
    this.violation ??= { invariant, text, at: this.time.now() };
  }

  /** What is true of the cluster is something else now. */
  changed(cluster: SimCluster): void {
    this.history.note(cluster);
    this.#each((check) => check.changed?.(cluster.name));
  }

  /** It is built anew under its name, with these objects. */
  rebuild(cluster: SimCluster, objects: Parameters<SimCluster["rebuild"]>[0]): void {
    cluster.rebuild(objects);
    this.#follow(cluster);
    this.changed(cluster);
  }

  later(ms: number, run: () => void): Cancel {
    return this.time.after(ms, run);
  }

  #processes(): Processes {
    const { setup, time, trace, clusters, admin } = this;
    return new Processes({
      random: this.random.fork("process"),
      after: (ms, run) => this.time.after(ms, run),
      say: (what) => this.trace.say("sim", what),
      leads: () => this.#each((check) => check.started?.()),
      process: {
        config: () => withConfiguration(this.config, this.configuration),
        ...{ setup, time, trace, clusters, plant: this.#plant },
        transport: memoryAdminTransport(admin, {
          ...{ clock: time, random: this.random.fork("wire").next, latency: [0, setup.adminLatency] },
        }),
        nextTag: () => ++this.#tags,
        sent: (request) => this.#sent(request),
        ended: (request, how) => this.#ended(request, how),
        listed: (cluster, list) => {
          const what = list.kind === "pods" ? "objects" : list.kind;
          if (list.kind === "pods" || this.clusters.get(cluster)?.hasServices === true)
            this.trace.say(cluster, `listed completely: ${list.objects} ${what}`);
          this.#each((check) => check.listed?.(cluster, list));
        },
        fault: (error) =>
          this.violate("fault", error instanceof Error ? (error.stack ?? error.message) : String(error)),
      },
    });
  }

  #follow(cluster: SimCluster): void {
    this.history.note(cluster);
    cluster.store.subscribe({
      event: ({ resource, type, key }) => {
        if (!heardKinds.some((kind) => kind === resource)) return;
        this.trace.say(cluster.name, `${type} ${resource === "pods" ? "" : `${resource}/`}${key}`);
        this.changed(cluster);
      },
      reset: () => this.changed(cluster),
    });
  }

  #each(run: (check: Check) => void): void {
    for (const check of this.#checks) run(check);
  }

  #sent(request: SentRequest): void {
    this.requests++;
    this.#byTag.set(request.tag, request);
    if (request.method !== "GET")
      this.trace.say(
        `t${request.term}`,
        `#${request.tag} ${request.method} ${request.collection}/${request.id}`,
      );
    this.#each((check) => check.sent?.(request));
  }

  #ended(request: SentRequest, how: string): void {
    const { term, tag, method, collection, id } = request;
    const what = method === "GET" ? ` ${method} ${collection}/${id ?? ""}` : "";
    this.trace.say(`t${term}`, `#${tag}${what} → ${how}`);
    this.#each((check) => check.ended?.(request, how));
  }

  #applied(exchange: AdminExchange): void {
    const { path, method, resource, id, status, direct, changes } = exchange;
    const tag = /[?&]tag=(\d+)/.exec(path)?.[1];
    const request = tag === undefined ? undefined : this.#byTag.get(Number(tag));
    if (request !== undefined) {
      request.exchange = exchange;
      this.#byTag.delete(request.tag);
    }
    if (method === "GET") return;
    if (method === "POST") return this.trace.say("apisix", `a body is checked: ${status}`);
    if (!direct && changes.length > 0) {
      this.writes.push(id ?? "");
      this.lastWriteAt = this.time.now();
    }
    const said = changes.length === 0 ? "" : ` ${shown(changes[0]?.after?.value)}`;
    this.trace.say("apisix", `${direct ? "human" : `#${tag}`} ${method} ${resource}/${id}: ${status}${said}`);
    this.#each((check) => check.applied?.(exchange, request));
  }
}

function shown(value: Body | undefined): string {
  if (value === undefined) return "gone";
  const { hosts, uris, nodes, name } = value;
  if (nodes === undefined)
    return `${String(name)} ${JSON.stringify(hosts ?? [])} ${JSON.stringify(uris ?? [])}`;
  const list = nodes as readonly { host: string; port: number }[];
  return `${String(name)} [${list.map(({ host, port }) => `${host}:${port}`).join(" ")}]`;
}
