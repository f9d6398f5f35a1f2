import type { Log } from "../runtime.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { mayStand } from "../write/group-record.ts";
import type { Records } from "../write/records.ts";
import { groupTitle } from "./group-title.ts";
import type { ExplainedDeclaration } from "./explanation.ts";

/** Says once which clusters are watched no more, what stands of each, and which are new. */
export function logClusters(
  log: Log,
  records: Pick<Records, "ofCluster">,
  left: readonly string[],
  came: readonly string[],
): void {
  for (const cluster of left) {
    let routes = 0;
    let upstreams = 0;
    for (const { route, upstream } of records.ofCluster(cluster)) {
      if (route !== undefined) routes++;
      if (upstream !== undefined) upstreams++;
    }
    const fields = { cluster, routes, upstreams };
    const advice = `they go on as they are, with their hosts and uris; if the cluster is gone for good: purge --cluster ${cluster}`;
    if (routes + upstreams === 0) log.info(fields, "a cluster has left the configuration");
    else
      log.warn(
        { ...fields, advice },
        "a cluster has left the configuration, and what it has in APISIX stays",
      );
  }
  for (const cluster of came) log.info({ cluster }, "a cluster has come into the configuration");
}

/** Of a cluster that is not in the configuration. */
export function purgeAdvice(cluster: string): string {
  return `if it is gone for good, purge --cluster ${cluster} deletes what stands of it`;
}

/** Undefined: nothing of the cluster stands. */
export function whyLeft(cluster: string, records: Pick<Records, "ofCluster">): string | undefined {
  const stands = [...records.ofCluster(cluster)].some(mayStand);
  if (!stands) return undefined;
  return `${cluster} is not in the configuration any more; what it has in APISIX stands as it is, and ${purgeAdvice(cluster)}`;
}

/** What clusters that are not in the configuration have in a fleet group: nobody declares it, and it stands. */
export function leftParts(
  { id, identity, members, route, upstream }: GroupRecord,
  clusters: ReadonlySet<string>,
): Omit<ExplainedDeclaration, "lastWrite">[] {
  if (identity.share !== "fleet" || upstream === undefined) return [];
  const { kind, namespace, name } = identity;
  const { hosts, uris } = route?.shape ?? { hosts: [], uris: [] };
  return members
    .filter(([cluster]) => !clusters.has(cluster))
    .map(([cluster]) => ({
      ...{
        cluster,
        kind,
        namespace,
        name,
        route: identity.route,
        hosts,
        uris,
        id,
        nodes: 0,
        state: "Frozen",
        group: groupTitle(identity),
      },
      reason: `${cluster} is not in the configuration any more; its nodes in this group stand as they are, and ${purgeAdvice(cluster)}`,
    }));
}
