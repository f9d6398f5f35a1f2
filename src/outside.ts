import { availableParallelism } from "node:os";
import { createHttpTransport } from "./apisix/http-transport.ts";
import type { AdminTransport } from "./apisix/transport.ts";
import type { Config } from "./config.ts";
import type { ControllerParts } from "./controller.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { Log } from "./runtime.ts";
import { systemClock } from "./runtime.ts";
import { ThreadLinks } from "./shard/thread-links.ts";
import { connectKube } from "./watch/connect-kube.ts";
import type { Environment } from "./watch/kube-access.ts";

/** Requests that are not the writer's own: the audit's lists, probes, `explain`. */
const connectionsBesideWriter = 4;

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
}

export function openOutside(config: Config, options: OutsideOptions): Outside {
  const { env, log, metrics, fault, around } = options;
  const clock = systemClock;
  const { adminUrls, adminKey, timeout } = config.gateway;
  const http = createHttpTransport({
    adminUrl: adminUrls[0] ?? "",
    adminKey: () => adminKey.reveal(),
    connections: config.throttle.concurrency + connectionsBesideWriter,
    connectTimeout: timeout,
    clock,
  });
  const shardCount = shardCountOf(config);
  return {
    ...{ clock, random: Math.random, log, metrics, fault, shardCount },
    connect: (cluster) => connectKube(cluster, { clock, env }),
    admin: around === undefined ? http.send : around(http.send),
    links: new ThreadLinks({ count: shardCount, clock, log }),
    close: () => http.close(),
  };
}

/** 0: one for each core but the main thread's, at least one. */
function shardCountOf({ shards: { count } }: Config): number {
  return count === 0 ? Math.max(1, availableParallelism() - 1) : count;
}
