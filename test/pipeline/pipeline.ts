import { afterEach } from "vitest";
import type { JsonObject } from "../../src/apisix/types.ts";
import { loadConfig } from "../../src/config.ts";
import { Controller } from "../../src/controller.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { openOutside } from "../../src/outside.ts";
import type { Outside } from "../../src/outside.ts";
import type { Log, LogFields } from "../../src/runtime.ts";
import type { AdminExchange } from "../../src/sim/admin/admin-exchange.ts";
import { AdminJournal } from "../../src/sim/admin/admin-exchange.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import type { Fleet, FleetCluster } from "../../src/sim/kubernetes/fleet.ts";
import type { ClusterStore } from "../../src/sim/kubernetes/cluster-store.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const pipeline of open.splice(0).toReversed()) await pipeline.close();
});

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

/** The real controller between embedded clusters and an embedded Admin API, over real sockets and real threads. */
export class Pipeline {
  readonly fleet: Fleet;
  readonly gateway: AdminServer;
  readonly journal = new AdminJournal(100_000);
  readonly log: LogLine[] = [];
  readonly faults: unknown[] = [];
  controller!: Controller;
  #outside!: Outside;
  #settings: object;

  static async start(
    clusters: number | readonly string[],
    options: {
      readonly settings?: object;
      readonly before?: (pipeline: Pipeline) => void | Promise<void>;
    } = {},
  ): Promise<Pipeline> {
    const pipeline = new Pipeline(
      await startFleet({ clusters }),
      await startAdminServer(),
      options.settings ?? {},
    );
    open.push(pipeline);
    await options.before?.(pipeline);
    await pipeline.restart();
    return pipeline;
  }

  constructor(fleet: Fleet, gateway: AdminServer, settings: object) {
    this.fleet = fleet;
    this.gateway = gateway;
    this.#settings = settings;
    gateway.admin.onExchange(this.journal.add);
  }

  /** A translator that trusts no memory, in the place of the one that ran. */
  async restart(settings: object = this.#settings): Promise<void> {
    this.#settings = settings;
    await this.stopController();
    const config = loadConfig({
      flags: [{ name: "config", value: "config.json" }],
      env: { APISIX_ADMIN_KEY: this.gateway.adminKey },
      readFile: () => JSON.stringify(this.#configuration()),
    });
    const log = this.#logger({});
    const metrics = createMetrics({ withProcess: false });
    const fault = (error: unknown): void => void this.faults.push(error);
    this.#outside = openOutside(config, { env: {}, log, metrics, fault });
    this.controller = new Controller(config, this.#outside);
    void this.controller.start().catch(fault);
  }

  async stopController(): Promise<void> {
    if (this.controller === undefined) return;
    await this.controller.stop();
    await this.#outside.close();
  }

  cluster(name: string): FleetCluster {
    return this.fleet.cluster(name);
  }

  store(name: string): ClusterStore {
    return this.fleet.cluster(name).store;
  }

  /** Resolves when the first reconcile of this term is over. */
  async reconciled(): Promise<void> {
    await this.until("the first reconcile", () => this.controller.firstReconcile.isDone);
  }

  /** Resolves when the condition holds; fails, naming it, when it does not come to hold. */
  async until(what: string, condition: () => boolean, within = 15_000): Promise<void> {
    const deadline = performance.now() + within;
    while (!condition()) {
      if (this.faults.length > 0) throw new Error("the translator had a fault", { cause: this.faults[0] });
      if (performance.now() > deadline) throw new Error(`waited in vain for: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Nothing is in flight, nothing waits, and the gateway has seen no write for `ms`. */
  async quiet(ms = 150): Promise<void> {
    let writes = -1;
    let since = performance.now();
    await this.until("quiet", () => {
      const now = this.writes.length;
      if (now !== writes || !this.controller.writer.isQuiet) since = performance.now();
      writes = now;
      return performance.now() - since > ms;
    });
  }

  /** Requests of the translator that were to change something. */
  get writes(): readonly AdminExchange[] {
    return this.journal.writes.filter(({ direct }) => !direct);
  }

  /** `METHOD resource` of every write since `from`, in order. */
  writesSince(from: number): string[] {
    return this.writes.slice(from).map(({ method, resource }) => `${method} ${resource}`);
  }

  routes(): JsonObject[] {
    return this.gateway.admin.store.list("routes").map(({ value }) => value as JsonObject);
  }

  upstreams(): JsonObject[] {
    return this.gateway.admin.store.list("upstreams").map(({ value }) => value as JsonObject);
  }

  /** `host uri` of every route, sorted. */
  pairs(): string[] {
    return this.routes()
      .flatMap(({ hosts, uris }) =>
        (hosts as string[]).flatMap((host) => (uris as string[]).map((uri) => `${host} ${uri}`)),
      )
      .toSorted();
  }

  /** The nodes behind a host, `ip:port`, sorted; undefined where no route has it. */
  nodesOf(host: string): string[] | undefined {
    const route = this.routes().find(({ hosts }) => (hosts as string[] | undefined)?.includes(host));
    if (route === undefined) return undefined;
    const upstream = this.gateway.admin.store.get("upstreams", String(route["upstream_id"]))?.value as
      | JsonObject
      | undefined;
    const nodes = (upstream?.["nodes"] ?? []) as { host: string; port: number }[];
    return nodes.map(({ host: ip, port }) => `${ip}:${port}`).toSorted();
  }

  async close(): Promise<void> {
    await this.stopController();
    await this.fleet.close();
    await this.gateway.close();
  }

  #configuration(): object {
    return {
      clusters: this.fleet.clusters.map(({ name, kubeconfigPath }) => ({ name, kubeconfig: kubeconfigPath })),
      gateway: { adminUrls: [this.gateway.url], timeout: "2s" },
      leader: { enabled: false },
      shards: { count: 1 },
      ...this.#settings,
      throttle: {
        quiet: "0ms",
        routeInterval: "0ms",
        deleteGrace: "200ms",
        ...settingOf(this.#settings, "throttle"),
      },
    };
  }

  #logger(bound: LogFields): Log {
    const say = (level: LogLine["level"]) => (fields: LogFields, message: string) =>
      void this.log.push({ level, message, fields: { ...bound, ...fields } });
    const child = (fields: LogFields): Log => this.#logger({ ...bound, ...fields });
    return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error"), child };
  }
}

function settingOf(settings: object, key: string): object {
  const value = (settings as Record<string, unknown>)[key];
  return typeof value === "object" && value !== null ? value : {};
}
