import { availableParallelism } from "node:os";
import { failoverTransport } from "./apisix/failover-transport.ts";
import { openGatewayCredentials } from "./apisix/gateway-credentials.ts";
import { createHttpTransport } from "./apisix/http-transport.ts";
import { shadowTransport } from "./apisix/shadow-transport.ts";
import type { AdminTransport } from "./apisix/transport.ts";
import type { Config } from "./config.ts";
import { readTextFile, type ReadFile } from "./config/file.ts";
import type { ControllerParts } from "./controller.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { Log } from "./runtime.ts";
import { systemClock } from "./runtime.ts";
import type { ShardLinks } from "./shard/link.ts";
import { ThreadLinks } from "./shard/thread-links.ts";
import { connectKube } from "./watch/connect-kube.ts";
import type { Environment } from "./watch/kube-access.ts";
import { pluginRunner } from "./watch/run-plugin.ts";

/** Requests that are not the writer's own: the audit's lists, probes, `explain`. */
const connectionsBesideWriter = 4;

/** With several URLs none of them may take all the time that a request has; but less than this is no time for TLS. */
const leastConnectTimeout = 1000;

/** The real outside world of a controller: sockets, threads, the system's clock. */
export interface Outside extends ControllerParts {
  /** After the controller has stopped. */
  close(): Promise<void>;
}

export interface OutsideOptions {
  readonly env: Environment;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly fault: (error: unknown) => void;
  /** What stands between the controller and the Admin API; `plan` writes nothing. */
  readonly around?: (admin: AdminTransport) => AdminTransport;
  /** Everything but writes: each is logged at debug, counted as `shadow`, and not sent. */
  readonly shadow?: boolean;
  /** Reads the files of `gateway` again when they change. */
  readonly readFile?: ReadFile;
  /** Shards elsewhere than in worker threads, which are not started then. */
  readonly links?: ShardLinks;
}

export function openOutside(config: Config, options: OutsideOptions): Outside {
  const { env, log, fault, around = (admin) => admin, shadow: isShadow = false } = options;
  const clock = systemClock;
  const gateway = openGateway(config, options);
  const metrics = isShadow ? shadowMetrics(options.metrics) : options.metrics;
  const admin = around(gateway.send);
  const shardCount = shardCountOf(config);
  const closing = new AbortController();
  const runPlugin = pluginRunner({ clock, env, signal: closing.signal });
  return {
    ...{ clock, random: Math.random, log, metrics, fault, shardCount, isShadow },
    connect: (cluster, signal) =>
      connectKube(cluster, {
        clock,
        env,
        runPlugin,
        pinned: true,
        ...(signal === undefined ? {} : { signal }),
      }),
    admin: isShadow ? shadowAdmin(admin, config, log) : admin,
    links: options.links ?? new ThreadLinks({ count: shardCount, clock, log }),
    close() {
      closing.abort();
      return gateway.close();
    },
  };
}

function shadowAdmin(admin: AdminTransport, { gateway }: Config, log: Log): AdminTransport {
  const { maxListBytes } = gateway;
  return shadowTransport(admin, {
    maxListBytes,
    wrote: ({ method, resource, id, body }) =>
      log.debug({ method, resource, id, name: body?.["name"] }, "shadow: this would be written"),
  });
}

function shadowMetrics(metrics: Metrics): Metrics {
  return {
    ...metrics,
    wrote: (write) => metrics.wrote({ ...write, outcome: "shadow" }),
    repaired: () => {},
  };
}

/** The way to APISIX: every URL with its own connections, all with the same credentials. */
function openGateway(
  { gateway, throttle }: Config,
  { log, readFile = readTextFile }: OutsideOptions,
): { readonly send: AdminTransport; close(): Promise<void> } {
  const clock = systemClock;
  const { adminUrls, timeout } = gateway;
  const credentials = openGatewayCredentials(gateway, { clock, log, readFile });
  const urls = adminUrls.map((adminUrl) => ({
    url: adminUrl,
    ...createHttpTransport({
      ...{ adminUrl, adminKey: credentials.adminKey, tls: credentials.tls, clock },
      connections: throttle.concurrency + connectionsBesideWriter,
      connectTimeout: Math.min(timeout, Math.max(leastConnectTimeout, timeout / adminUrls.length)),
    }),
  }));
  return {
    send: failoverTransport(urls, { clock, log }),
    async close() {
      credentials.close();
      await Promise.all(urls.map((each) => each.close()));
    },
  };
}

/** 0: one for each core but the main thread's, at least one. */
function shardCountOf({ shards: { count } }: Config): number {
  return count === 0 ? Math.max(1, availableParallelism() - 1) : count;
}
