import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { ClusterConfig, Config } from "./config.ts";
import { Election } from "./lead/election.ts";
import { LeaseClient } from "./lead/lease-client.ts";
import type { ElectionActions } from "./leadership.ts";
import type { Log } from "./runtime.ts";
import { systemClock } from "./runtime.ts";
import { connectKube } from "./watch/connect-kube.ts";
import type { Environment } from "./watch/kube-access.ts";

export interface ElectionOptions {
  /** As it is in force now: the cluster of the Lease may come to be reached another way. */
  readonly config: () => Config;
  readonly env: Environment;
  readonly log: Log;
  readonly fault: (error: unknown) => void;
  /** Where our `observe.listen` is found; `""`: nowhere. */
  readonly address: () => string;
  readonly actions: ElectionActions;
}

/** Takes part in the election of `leader`, over a connection of its own. */
export function openElection(options: ElectionOptions): Election {
  const { config, env, log, fault, address, actions } = options;
  const { cluster, namespace, lease, duration, renewDeadline, retryPeriod } = config().leader;
  const clock = systemClock;
  const named = (): ClusterConfig | undefined => config().clusters.find(({ name }) => name === cluster);
  const first = named();
  if (first === undefined) throw new Error(`leader.cluster ${cluster ?? ""} is not among the clusters`);
  let home = first;
  const api = new LeaseClient({
    ...{ clock, random: Math.random, timeout: retryPeriod, place: { namespace, name: lease } },
    connect: (signal) => connectKube((home = named() ?? home), { clock, env, signal }),
  });
  return new Election({
    ...{ clock, random: Math.random, log: log.child({ lease: `${namespace}/${lease}` }), api, fault },
    times: { duration, renewDeadline, retryPeriod },
    identity: `${hostname()}_${randomUUID()}`,
    address,
    ...actions,
  });
}
