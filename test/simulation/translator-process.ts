import type { Config } from "../../src/config.ts";
import { Controller } from "../../src/controller.ts";
import type { ControllerParts } from "../../src/controller.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import type { Log, LogFields } from "../../src/runtime.ts";
import { MemoryLinks } from "../../src/shard/memory-links.ts";
import { createShardHandler } from "../../workers/shard-handler.ts";
import type { Plant } from "./plant.ts";
import { AdminTap } from "./wire/admin-tap.ts";
import type { AdminTapOptions } from "./wire/admin-tap.ts";
import { Gate } from "./wire/gate.ts";
import { KubeTap } from "./wire/kube-tap.ts";
import type { CompleteList } from "./wire/kube-tap.ts";
import { Knowledge } from "./wire/knowledge.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Setup } from "./setup.ts";
import type { SimCluster } from "./sim-cluster.ts";
import type { Trace } from "./trace.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface ProcessOptions extends Omit<AdminTapOptions, "gate" | "knowledge" | "term"> {
  readonly config: Config;
  readonly setup: Setup;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly clusters: ReadonlyMap<string, SimCluster>;
  readonly listed: (cluster: string, list: CompleteList) => void;
  readonly fault: (error: unknown) => void;
  readonly plant: Plant | undefined;
}

/** One life of the translator: the real controller, all of whose ways to the world pass one gate. */
export class TranslatorProcess {
  readonly term: number;
  readonly startedAt: number;
  readonly controller: Controller;
  readonly knowledge = new Knowledge();
  readonly links: MemoryLinks;
  /** Cluster → its complete lists in this term. */
  readonly #lists = new Map<string, CompleteList[]>();
  /** When each cluster last said anything to this process. */
  readonly heardAt = new Map<string, number>();
  readonly #gate: Gate;
  readonly #options: ProcessOptions;

  constructor(term: number, options: ProcessOptions) {
    const { config, time, fault, plant } = options;
    this.term = term;
    this.startedAt = time.now();
    this.#options = options;
    this.#gate = new Gate(time);
    const { clock } = this.#gate;
    const tap = new AdminTap({ ...options, term, gate: this.#gate, knowledge: this.knowledge });
    this.links = new MemoryLinks(clock, createShardHandler);
    const parts: ControllerParts = {
      ...{ clock, random: options.random.fork(`term ${term}`).next, log: this.#log({}) },
      metrics: createMetrics({ withProcess: false }),
      connect: ({ name }) => this.#connect(name),
      ...{ admin: tap.send, links: this.links, shardCount: config.shards.count },
      fault: (error) => {
        if (this.#gate.isOpen) fault(error);
      },
    };
    this.controller = new Controller(config, plant?.parts?.(parts) ?? parts);
    plant?.controller?.(this.controller);
  }

  get isAlive(): boolean {
    return this.#gate.isOpen;
  }

  /** The last complete list of a cluster that it had heard at this time. */
  listBefore(cluster: string, at: number): CompleteList | undefined {
    return this.#lists.get(cluster)?.findLast(({ endedAt }) => endedAt <= at);
  }

  start(): void {
    this.controller.start().catch(this.#options.fault);
  }

  /** As SIGKILL. */
  kill(): void {
    this.#gate.shut();
  }

  /** As SIGTERM: what is in flight ends; then the process is gone. */
  async stop(): Promise<void> {
    await this.controller.stop();
    this.#gate.shut();
  }

  #connect(name: string): Promise<ReturnType<KubeTap["connection"]>> {
    const { clusters, setup, listed, time } = this.#options;
    const cluster = clusters.get(name);
    if (cluster === undefined) throw new Error(`no cluster ${name}`);
    const tap = new KubeTap({
      gate: this.#gate,
      transport: cluster.line.transport(),
      pageSize: setup.pageSize,
      listed: (list) => {
        this.#lists.set(name, [...(this.#lists.get(name) ?? []), list]);
        listed(name, list);
      },
      heard: () => void this.heardAt.set(name, time.now()),
    });
    return this.#gate.promise(Promise.resolve(tap.connection()));
  }

  #log(bound: LogFields): Log {
    const { trace } = this.#options;
    const say = (level: string) => (fields: LogFields, message: string) => {
      if (!this.#gate.isOpen) return;
      const { advice: _advice, ...said } = { ...bound, ...fields };
      trace.say(`t${this.term} ${level}`, `${message} ${JSON.stringify(said)}`);
    };
    const child = (fields: LogFields): Log => this.#log({ ...bound, ...fields });
    return { debug: () => {}, info: say("info"), warn: say("warn"), error: say("error"), child };
  }
}
