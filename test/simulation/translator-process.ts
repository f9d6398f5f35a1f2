import type { Config } from "../../src/config.ts";
import { Controller } from "../../src/controller.ts";
import type { ControllerParts } from "../../src/controller.ts";
import { Election } from "../../src/lead/election.ts";
import { fencedTransport } from "../../src/lead/fenced-transport.ts";
import type { Fence } from "../../src/lead/fenced-transport.ts";
import { LeaseClient } from "../../src/lead/lease-client.ts";
import { Leadership } from "../../src/leadership.ts";
import type { ElectionActions, LeadTerm } from "../../src/leadership.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import type { Log, LogFields } from "../../src/runtime.ts";
import { MemoryLinks } from "../../src/shard/memory-links.ts";
import type { KubeConnection } from "../../src/watch/kube-connection.ts";
import { createShardHandler } from "../../workers/shard-handler.ts";
import type { Plant } from "./plant.ts";
import type { Purge } from "./checks/sight.ts";
import { Shown } from "./checks/shown.ts";
import { AdminTap } from "./wire/admin-tap.ts";
import type { AdminTapOptions } from "./wire/admin-tap.ts";
import { connectCluster } from "./wire/cluster-connection.ts";
import { Gate } from "./wire/gate.ts";
import { HeardLists } from "./wire/heard-lists.ts";
import type { CompleteList } from "./wire/kube-tap.ts";
import { Knowledge } from "./wire/knowledge.ts";
import { LeaseTap } from "./wire/lease-tap.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Setup } from "./setup.ts";
import type { SimCluster } from "./sim-cluster.ts";
import { slowLinks } from "./slow-links.ts";
import type { Trace } from "./trace.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface ProcessOptions extends Omit<AdminTapOptions, "gate" | "knowledge" | "term" | "leads"> {
  /** As the file has it now. */
  readonly config: () => Config;
  readonly setup: Setup;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly clusters: ReadonlyMap<string, SimCluster>;
  readonly listed: (cluster: string, list: CompleteList) => void;
  readonly fault: (error: unknown) => void;
  readonly plant: Plant | undefined;
  /** It begins to lead. */
  readonly leads: (process: TranslatorProcess) => void;
  /** Whether it was the last that began to. */
  readonly isLeading: (process: TranslatorProcess) => boolean;
  /** It is no more. */
  readonly died: (process: TranslatorProcess) => void;
}

interface SimTerm extends LeadTerm {
  readonly controller: Controller;
}

/** Beyond two request timeouts, as the product has it. */
const drainSlack = 5000;

/** One life of the translator: the real leadership and controller, all of whose ways to the world pass one gate. */
export class TranslatorProcess {
  readonly term: number;
  readonly identity: string;
  readonly knowledge = new Knowledge();
  readonly links: MemoryLinks;
  readonly gate: Gate;
  /** It was told to stop. */
  isStopping = false;
  readonly lists = new HeardLists();
  readonly shown = new Shown();
  /** Milliseconds until a shard that is started is there. */
  shardStart = 0;
  /** Cluster → when it was told to purge it. */
  readonly purged = new Map<string, readonly Purge[]>();
  readonly #options: ProcessOptions;
  readonly #leadership: Leadership<SimTerm>;
  #config: Config;
  #lease: LeaseTap | undefined;
  #pauses = 0;
  #isPaused = false;

  constructor(term: number, options: ProcessOptions) {
    const { time, random } = options;
    const config = options.config();
    this.#config = config;
    this.term = term;
    this.identity = `t${term}`;
    this.#options = options;
    this.gate = new Gate({ time, origin: Math.floor(random.fork(`origin ${term}`).between(0, 1e6)) });
    this.gate.onShut(() => options.died(this));
    const { clock } = this.gate;
    this.links = new MemoryLinks(clock, createShardHandler);
    this.#leadership = new Leadership({
      clock,
      drainLimit: 2 * config.gateway.timeout + drainSlack,
      election: config.leader.enabled ? (actions) => this.#newElection(actions) : undefined,
      newTerm: (fence) => this.#newTerm(fence),
      leads: () => options.leads(this),
      lost: () => void this.#exit(),
    });
  }

  /** Undefined while it stands by. */
  get controller(): Controller | undefined {
    return this.#leadership.term?.controller;
  }

  /** It says that it believes nothing of what answers under this name. */
  refuses(cluster: string): boolean {
    return this.controller?.intake.refusal(cluster) !== undefined;
  }

  get isAlive(): boolean {
    return this.gate.isOpen;
  }

  /** When it last sent a renewal of the Lease that was answered well. */
  get renewedAt(): number {
    return this.#lease?.renewedAt ?? -Infinity;
  }

  /** The file has changed. */
  configure(): void {
    this.gate.enter(() => {
      const config = this.#options.config();
      const names = new Set(config.clusters.map(({ name }) => name));
      for (const { name } of this.#config.clusters)
        if (!names.has(name)) this.lists.left(name, this.gate.time.now());
      this.#config = config;
      this.controller?.configure(config);
    });
  }

  /** Nothing was in flight any more after an operator's pause, which goes on. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    const { observation } = this.controller ?? {};
    const pause = ++this.#pauses;
    void observation?.pause().then(() => {
      this.#isPaused = pause === this.#pauses;
    });
  }

  resume(): void {
    this.#pauses++;
    this.#isPaused = false;
    if (this.isAlive) this.controller?.observation.resume();
  }

  start(): void {
    if (this.#leadership.election === undefined) this.#options.leads(this);
    this.#leadership.start();
  }

  /** As SIGKILL. */
  kill(): void {
    this.gate.shut();
  }

  /** As SIGTERM: what is in flight ends; then the process is gone. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.#leadership.stop();
    this.gate.shut();
  }

  /** As `run` does that has lost leadership. */
  async #exit(): Promise<void> {
    await this.#leadership.abandon();
    this.gate.shut();
  }

  #newTerm(fence: Fence | undefined): SimTerm {
    const { plant, random, fault } = this.#options;
    const config = this.#config;
    const { clock } = this.gate;
    const controlled = fence && (plant?.fence?.(fence) ?? fence);
    const leads = (): boolean => this.gate.isOpen && this.#options.isLeading(this);
    const { term, gate, knowledge } = this;
    const tap = new AdminTap({ ...this.#options, term, gate, knowledge, leads });
    const parts: ControllerParts = {
      ...{ clock, random: random.fork(`term ${term}`).next, log: this.#log({}) },
      metrics: createMetrics({ withProcess: false }),
      connect: ({ name }) => this.#connect(name),
      admin: controlled === undefined ? tap.send : fencedTransport(tap.send, controlled),
      ...{ links: slowLinks(this.links, clock, () => this.shardStart), shardCount: config.shards.count },
      fault: (error) => this.#fault(error),
    };
    const controller = new Controller(config, plant?.parts?.(parts) ?? parts);
    plant?.controller?.(controller);
    return {
      controller,
      start: () => void controller.start().catch(fault),
      stop: () => controller.stop(),
      abandon: () => controller.stop(),
    };
  }

  #newElection(actions: ElectionActions): Election {
    const { clusters, random } = this.#options;
    const { cluster: home, namespace, lease, duration, renewDeadline, retryPeriod } = this.#config.leader;
    const cluster = clusters.get(home ?? "");
    if (cluster === undefined) throw new Error(`no cluster ${home ?? ""}`);
    const { clock } = this.gate;
    const chance = random.fork(`election ${this.term}`).next;
    const tap = new LeaseTap(this.gate, (request) => cluster.line.transport(cluster.token)(request));
    this.#lease = tap;
    const api = new LeaseClient({
      ...{ clock, random: chance, timeout: retryPeriod, place: { namespace, name: lease } },
      connect: () => Promise.resolve(tap.connection()),
    });
    return new Election({
      ...{ clock, random: chance, log: this.#log({}), api, identity: this.identity },
      times: { duration, renewDeadline, retryPeriod },
      address: () => `${this.identity}:8080`,
      fault: (error) => this.#fault(error),
      ...actions,
    });
  }

  #fault(error: unknown): void {
    if (this.gate.isOpen) this.#options.fault(error);
  }

  #connect(name: string): Promise<KubeConnection> {
    const { clusters, setup, listed } = this.#options;
    const cluster = clusters.get(name);
    if (cluster === undefined) throw new Error(`no cluster ${name}`);
    return connectCluster({
      ...{ gate: this.gate, cluster, pageSize: setup.pageSize, isRefused: () => this.refuses(name) },
      ...this.lists.ears(name, this.gate.time, (list) => listed(name, list)),
    });
  }

  #log(bound: LogFields): Log {
    const { trace } = this.#options;
    const say = (level: string) => (fields: LogFields, message: string) => {
      if (!this.gate.isOpen) return;
      const { advice: _advice, ...said } = { ...bound, ...fields };
      trace.say(`t${this.term} ${level}`, `${message} ${JSON.stringify(said)}`);
    };
    const child = (fields: LogFields): Log => this.#log({ ...bound, ...fields });
    return { debug: () => {}, info: say("info"), warn: say("warn"), error: say("error"), child };
  }
}
