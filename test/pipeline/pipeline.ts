import { onTestFinished } from "vitest";
import type { Config } from "../../src/config.ts";
import { Controller } from "../../src/controller.ts";
import type { ExplainedDeclaration } from "../../src/observe/explanation.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { parseTarget } from "../../src/observe/target.ts";
import { openOutside } from "../../src/outside.ts";
import type { Outside } from "../../src/outside.ts";
import type { Clock } from "../../src/runtime.ts";
import { systemClock } from "../../src/runtime.ts";
import { MemoryLinks } from "../../src/shard/memory-links.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";
import type { ClusterStore } from "../../src/sim/kubernetes/cluster-store.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import type { Fleet, FleetCluster } from "../../src/sim/kubernetes/fleet.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { connectKube } from "../../src/watch/connect-kube.ts";
import { createShardHandler } from "../../workers/shard-handler.ts";
import { gatewaySource } from "./gateway-source.ts";
import { GatewayView } from "./gateway-view.ts";
import { Invariants } from "./invariants.ts";
import { logInto, type LogLine } from "./log-lines.ts";
import { pipelineConfig } from "./pipeline-config.ts";
import { QuickClock } from "./quick-clock.ts";

export interface PipelineOptions {
  /**
   * Of the configuration file; `clusters`: what is set for each, by name; `without`: names of clusters that it leaves out.
   */
  readonly settings?: object;
  /** Runs before the translator starts. */
  readonly before?: (pipeline: Pipeline) => void | Promise<void>;
  /** How many times faster than the wall the translator's clock runs; but for the time limit of Admin requests. */
  readonly speed?: number;
  /** Shards in this thread, behind the same codec, in place of worker threads. */
  readonly memoryShards?: boolean;
  /** As `run --shadow`. */
  readonly shadow?: boolean;
}

/**
 * The real controller between embedded clusters and an embedded Admin API, over real sockets and real threads. Every
 * request is held to the invariants; a breach fails the test at its end.
 */
export class Pipeline extends GatewayView {
  readonly fleet: Fleet;
  readonly invariants = new Invariants();
  readonly log: LogLine[] = [];
  readonly faults: unknown[] = [];
  controller!: Controller;
  /** Of the translator that runs now, where its shards are in this thread. */
  memoryLinks: MemoryLinks | undefined;
  /** Whether the next translator has its shards in this thread. */
  memoryShards: boolean;
  #outside!: Outside;
  #settings: object;
  readonly #speed: number;
  readonly #clock: Clock;
  #isShadow: boolean;
  #barriers = 0;
  #stopped = false;

  static async start(clusters: number | readonly string[], options: PipelineOptions = {}): Promise<Pipeline> {
    const pipeline = new Pipeline(await startFleet({ clusters }), await gatewaySource().open(), options);
    // Of the test, not of a file: this module is loaded once for all files, and hooks that it left would be the first file's.
    onTestFinished(() => pipeline.#end());
    await options.before?.(pipeline);
    await pipeline.restart();
    return pipeline;
  }

  constructor(fleet: Fleet, gateway: AdminServer, options: PipelineOptions) {
    super(gateway);
    this.fleet = fleet;
    this.#speed = options.speed ?? 1;
    this.memoryShards = options.memoryShards ?? false;
    this.#isShadow = options.shadow ?? false;
    this.#settings = options.settings ?? {};
    this.#clock = options.speed === undefined ? systemClock : new QuickClock(options.speed);
    gateway.admin.onExchange(this.invariants.see);
  }

  /** A translator that trusts no memory, in the place of the one that ran. */
  async restart(settings: object = this.#settings, { watch = true } = {}): Promise<void> {
    this.#settings = settings;
    await this.stopController();
    const config = this.#load();
    const log = logInto(this.log);
    const metrics = createMetrics({ withProcess: false });
    const fault = (error: unknown): void => void this.faults.push(error);
    this.memoryLinks = this.memoryShards ? new MemoryLinks(this.#clock, createShardHandler) : undefined;
    this.#outside = openOutside(config, {
      ...{ env: {}, log, metrics, fault, shadow: this.#isShadow },
      ...(this.memoryLinks === undefined ? {} : { links: this.memoryLinks }),
    });
    this.controller = new Controller(config, {
      ...this.#outside,
      clock: this.#clock,
      connect: (cluster) => connectKube(cluster, { clock: this.#clock, env: {}, pinned: true }),
      // Backoff with jitter stays what it is, at its short end.
      random: () => Math.random() * 0.02,
    });
    this.#stopped = false;
    void this.controller.start("forever", { watch }).catch(fault);
  }

  /** What the translator that runs takes from a changed configuration file. */
  configure(settings: object): void {
    this.#settings = settings;
    this.controller.configure(this.#load());
  }

  /** A shadow in the place of the one that ran. */
  async shadow(): Promise<void> {
    this.#isShadow = true;
    await this.restart();
  }

  async stopController(): Promise<void> {
    if (this.controller === undefined || this.#stopped) return;
    this.#stopped = true;
    await this.controller.stop();
    await this.#outside.close();
    await this.#outside.links.close();
  }

  /** The translator ends as by SIGKILL: what it had sent is on its way, and nobody hears the answers. */
  async crash(): Promise<void> {
    await this.#outside.close();
    await this.stopController();
  }

  cluster(name: string): FleetCluster {
    return this.fleet.cluster(name);
  }

  store(name: string): ClusterStore {
    return this.fleet.cluster(name).store;
  }

  /**
   * Resolves when the first reconcile of this term is over, and as many routes stand. A quick clock may give a cluster up
   * that is merely slow: then only the number says that it has been heard.
   */
  async reconciled(routes = 0): Promise<void> {
    await this.until("the first reconcile", () => this.controller.firstReconcile.isDone);
    if (routes === 0) return;
    await this.until(`${routes} routes`, () => this.routes().length === routes);
    await this.idle();
  }

  /** Resolves when the condition holds; fails, naming it, when it does not come to hold. */
  async until(what: string, condition: () => boolean | Promise<boolean>, within = 60_000): Promise<void> {
    const deadline = performance.now() + within;
    while (!(await condition())) {
      if (this.faults.length > 0) throw new Error("the translator had a fault", { cause: this.faults[0] });
      if (performance.now() > deadline)
        throw new Error(`waited in vain for: ${what}${this.#circumstances()}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Everything that was said before in these clusters has come to the writer's ears; what it makes of it may be on its way. */
  async heard(
    clusters: readonly string[] = this.fleet.clusters.map(({ name }) => name),
    namespace = "shop",
  ): Promise<void> {
    const name = `barrier-${++this.#barriers}`;
    const routes = [{ name: "barrier", port: 1, host: "barrier.example.com", uri: "no-slash" }];
    for (const cluster of clusters) this.store(cluster).create("pods", pod({ namespace, name, routes }));
    const { records } = this.controller.writer;
    await this.until(`the word of ${clusters.join(", ")}`, () =>
      clusters.every((cluster) =>
        [...records.ofCluster(cluster)].some(({ identity, change }) => identity.name === name && change),
      ),
    );
    for (const cluster of clusters) this.store(cluster).remove("pods", `${namespace}/${name}`);
  }

  /**
   * Whatever these clusters (all) have said until now has been taken up and written: something that is said after it has
   * arrived, and the writer has nothing more to do.
   */
  async caughtUp(clusters?: readonly string[], namespace?: string): Promise<void> {
    await this.heard(clusters, namespace);
    await this.idle();
  }

  /** Nothing is in flight, and nothing waits but for time: seen in several turns, as answers lead to more requests. */
  async idle(): Promise<void> {
    let calm = 0;
    await this.until("an idle writer", () => {
      const { writer, shards } = this.controller;
      const { waiting, unacked } = shards.stats();
      const isCalm = writer.isQuiet && !writer.claims.pending && waiting + unacked === 0;
      calm = isCalm ? calm + 1 : 0;
      return calm > 10;
    });
  }

  /** What `explain TARGET` says. */
  async explain(text: string): Promise<readonly ExplainedDeclaration[]> {
    const parsed = parseTarget(text);
    if (!parsed.ok) throw new Error(parsed.message);
    return (await this.controller.observation.explain(parsed.target)).declarations;
  }

  /** The states in which the declarations of a target are. */
  async statesOf(text: string): Promise<string[]> {
    return (await this.explain(text)).map(({ state }) => state);
  }

  /** What every test must come to: nothing is left open, and no request broke an invariant. */
  async #end(): Promise<void> {
    await this.close();
    if (this.#clock instanceof QuickClock) this.#clock.stop();
    const wrong = [...this.invariants.breaches, ...this.faults.map(String)];
    if (wrong.length > 0) throw new Error(`broken: ${wrong.join("; ")}`);
  }

  async close(): Promise<void> {
    await this.stopController();
    await this.fleet.close();
    // It may have something to say about what stands there.
    await this.gateway.close().catch((error: unknown) => this.faults.push(error));
  }

  #load(): Config {
    const { fleet, gateway } = this;
    return pipelineConfig({ fleet, gateway, settings: this.#settings, speed: this.#speed });
  }

  #circumstances(): string {
    const said = this.log.filter(({ level }) => level === "warn" || level === "error").slice(-5);
    const writes = this.namedSince(Math.max(0, this.mark - 5));
    return `\nlog: ${JSON.stringify(said)}\nwrites: ${JSON.stringify(writes)}\npairs: ${JSON.stringify(this.pairs().slice(0, 20))}`;
  }
}
