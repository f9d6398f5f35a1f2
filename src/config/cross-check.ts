import type { Config } from "../config.ts";
import { shown, type Problems } from "./problems.ts";

/** Judges keys against each other, as far as each is good by itself. */
export function crossCheck(config: Config, problems: Problems, leads: boolean): void {
  checkClusters(config, problems);
  checkReferences(config, problems, leads);
  checkDuplicates(config, problems);
  const { throttle, observe, sources } = config;
  if (problems.clean("throttle.quiet", "throttle.maxDelay") && throttle.maxDelay < throttle.quiet)
    problems.add(
      "throttle.maxDelay",
      `got ${throttle.maxDelay}ms; allowed: at least throttle.quiet (${throttle.quiet}ms)`,
    );
  if (!sources.pods && !sources.services)
    problems.add("sources", "got pods and services both false; allowed: at least one true");
  if (problems.clean("observe.listen", "observe.admin") && sameAddress(observe.listen, observe.admin))
    problems.add(
      "observe.admin",
      `got port ${observe.admin.port}; allowed: another port than observe.listen`,
    );
  if (leads && config.leader.enabled) checkLeaderTimes(config, problems);
}

function checkClusters({ clusters }: Config, problems: Problems): void {
  const firstAt = new Map<string, number>();
  for (const [index, cluster] of clusters.entries()) {
    const at = `clusters[${index}]`;
    const namePath = `${at}.name`;
    if (problems.clean(namePath)) {
      const first = firstAt.get(cluster.name);
      if (first === undefined) firstAt.set(cluster.name, index);
      else
        problems.add(
          namePath,
          `got ${shown(cluster.name)}, which clusters[${first}] has; allowed: a name of its own`,
        );
    }
    if (!problems.clean(`${at}.kubeconfig`, `${at}.inCluster`)) continue;
    if (cluster.inCluster === (cluster.kubeconfig !== undefined))
      problems.add(
        at,
        `has ${cluster.inCluster ? "both kubeconfig and inCluster: true" : "neither kubeconfig nor inCluster: true"}; allowed: exactly one of the two`,
      );
    else if (cluster.inCluster && cluster.context !== undefined)
      problems.add(`${at}.context`, `got ${shown(cluster.context)}; allowed: only beside kubeconfig`);
  }
}

function checkReferences(config: Config, problems: Problems, leads: boolean): void {
  const { clusters, clusterSecrets, leader } = config;
  // A list with a fault in it may lack just the name that is looked for.
  if (!problems.clean("clusters", ...clusters.map((_, index) => `clusters[${index}].name`))) return;
  const names = clusters.map(({ name }) => name);
  const check = (path: string, name: string): void => {
    if (problems.clean(path) && !names.includes(name))
      problems.add(path, `got ${shown(name)}; allowed: the name of one of the clusters`);
  };
  if (clusterSecrets !== undefined) check("clusterSecrets.cluster", clusterSecrets.cluster);
  if (leader.cluster !== undefined) check("leader.cluster", leader.cluster);
  else if (leads && leader.enabled)
    problems.add(
      "leader.cluster",
      "is missing, and it must be said which of the clusters holds the Lease; allowed: the name of one of the clusters, or leader.enabled: false for a single instance",
    );
}

function checkDuplicates({ clusters, gateway, policy }: Config, problems: Problems): void {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["gateway.adminUrls", gateway.adminUrls],
    ["policy.plugins", policy.plugins],
    ...clusters.map(({ namespaces }, index) => [`clusters[${index}].namespaces`, namespaces] as const),
  ];
  for (const [path, values] of lists) {
    for (const [index, value] of values.entries()) {
      const at = `${path}[${index}]`;
      if (values.indexOf(value) < index && problems.clean(at))
        problems.add(at, `got ${shown(value)} a second time; allowed: each entry once`);
    }
  }
}

function sameAddress(one: Config["observe"]["listen"], other: Config["observe"]["listen"]): boolean {
  const wide = (host: string): boolean => host === "0.0.0.0" || host === "::";
  return (
    one.port === other.port &&
    one.port !== 0 &&
    (one.host === other.host || wide(one.host) || wide(other.host))
  );
}

/** client-go's rules, and the room that the write deadline needs: a request begun just after a renewal must end in time. */
function checkLeaderTimes({ leader, gateway }: Config, problems: Problems): void {
  const { duration, renewDeadline, retryPeriod } = leader;
  if (problems.clean("leader.duration") && duration % 1000 !== 0)
    problems.add("leader.duration", `got ${duration}ms; allowed: whole seconds`);
  if (problems.clean("leader.duration", "leader.renewDeadline") && duration <= renewDeadline)
    problems.add(
      "leader.duration",
      `got ${duration}ms; allowed: more than leader.renewDeadline (${renewDeadline}ms)`,
    );
  if (!problems.clean("leader.renewDeadline", "leader.retryPeriod")) return;
  if (renewDeadline <= retryPeriod * 1.2)
    problems.add(
      "leader.renewDeadline",
      `got ${renewDeadline}ms; allowed: more than 1.2 times leader.retryPeriod (${retryPeriod}ms)`,
    );
  else if (problems.clean("gateway.timeout") && renewDeadline - gateway.timeout < 2 * retryPeriod)
    problems.add(
      "leader.renewDeadline",
      `got ${renewDeadline}ms; allowed: at least gateway.timeout (${gateway.timeout}ms) and two times leader.retryPeriod (${retryPeriod}ms) together`,
    );
}
