import type { Log } from "../runtime.ts";
import type { Configured } from "../watched.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { mayStand } from "../write/group-record.ts";
import type { Records } from "../write/records.ts";
import { groupTitle } from "./group-title.ts";
import { printable } from "./printable.ts";
import type { ExplainedDeclaration } from "./explanation.ts";

/** Of a cluster that is not watched. */
type NotWatched = Exclude<Configured, { readonly is: "watched" }>;

/** Says once which clusters are watched no more, what stands of each, and which are new. */
export function logClusters(
  log: Log,
  records: Pick<Records, "ofCluster">,
  left: readonly string[],
  came: readonly string[],
  lookUp: (cluster: string) => Configured,
): void {
  for (const cluster of left) {
    let routes = 0;
    let upstreams = 0;
    for (const { route, upstream } of records.ofCluster(cluster)) {
      if (route !== undefined) routes++;
      if (upstream !== undefined) upstreams++;
    }
    const fields = { cluster, routes, upstreams };
    const configured = lookUp(cluster);
    const then = configured.is === "unknown" ? whyNotKnown(cluster, configured) : purgeAdvice(cluster);
    const advice = `they go on as they are, with their hosts and uris; ${then}`;
    if (routes + upstreams === 0) log.info(fields, "a cluster has left the configuration");
    else
      log.warn(
        { ...fields, advice },
        "a cluster has left the configuration, and what it has in APISIX stays",
      );
  }
  for (const cluster of came) log.info({ cluster }, "a cluster has come into the configuration");
}

/** Only of a cluster that is known not to be in the configuration. */
function purgeAdvice(cluster: string): string {
  return `if it is gone for good, or has another name now, purge --cluster ${cluster} deletes what stands of it`;
}

/** A cluster of which nobody can say whether it is configured: it is not purged, and nobody is told to. */
export function whyNotKnown(
  cluster: string,
  { why }: Extract<NotWatched, { readonly is: "unknown" }>,
): string {
  return printable(`whether ${cluster} is in the configuration is not known: ${why}`);
}

/** Why nothing is seen of a cluster that is not watched, and what to do. */
export function whyNotWatched(cluster: string, configured: NotWatched): string {
  return configured.is === "unknown"
    ? whyNotKnown(cluster, configured)
    : `it is not in the configuration; ${purgeAdvice(cluster)}`;
}

/** Undefined: nothing of the cluster stands, and it is not in the configuration. */
export function whyLeft(
  cluster: string,
  configured: NotWatched,
  records: Pick<Records, "ofCluster">,
): string | undefined {
  if (configured.is === "unknown") return whyNotKnown(cluster, configured);
  const stands = [...records.ofCluster(cluster)].some(mayStand);
  if (!stands) return undefined;
  return `${cluster} is not in the configuration any more; what it has in APISIX stands as it is, and ${purgeAdvice(cluster)}`;
}

/** Why nobody lets go what the group holds, with what to do; undefined: not because its clusters are not configured. */
export function whyHeldForGood(
  { identity, members }: Pick<GroupRecord, "identity" | "members">,
  lookUp: (cluster: string) => Configured,
): string | undefined {
  const clusters = identity.share === "fleet" ? members.map(([cluster]) => cluster) : [identity.cluster];
  const [first] = clusters;
  if (first === undefined || !clusters.every((cluster) => lookUp(cluster).is === "absent")) return undefined;
  return `${first} is not in the configuration any more; ${purgeAdvice(first)}`;
}

/** What clusters that are not watched have in a fleet group: nobody declares it, and it stands. */
export function leftParts(
  { id, identity, members, route, upstream }: GroupRecord,
  lookUp: (cluster: string) => Configured,
): Omit<ExplainedDeclaration, "lastWrite">[] {
  if (identity.share !== "fleet" || upstream === undefined) return [];
  const { kind, namespace, name } = identity;
  const { hosts, uris } = route?.shape ?? { hosts: [], uris: [] };
  const kept = "its nodes in this group stand as they are";
  return members.flatMap(([cluster]) => {
    const configured = lookUp(cluster);
    if (configured.is === "watched") return [];
    return {
      ...{
        cluster,
        kind,
        namespace,
        name,
        route: identity.route,
        hosts,
        uris,
        id,
        nodes: null,
        state: "Frozen",
        group: groupTitle(identity),
      },
      reason:
        configured.is === "unknown"
          ? `${kept}; ${whyNotKnown(cluster, configured)}`
          : `${cluster} is not in the configuration any more; ${kept}, and ${purgeAdvice(cluster)}`,
    };
  });
}
