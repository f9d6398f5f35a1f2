import type { ClusterConfig } from "./config.ts";
import type { FoundCluster } from "./config/cluster-secret.ts";

/** As many as the configuration file may name. */
const mostClusters = 1000;

/**
 * A name belongs to whoever had it first: the configuration before Secrets, and these in their order. `refused`: what a
 * Secret says and is not done, one sentence each.
 */
export function shareNames(
  configured: readonly ClusterConfig[],
  found: readonly FoundCluster[],
): {
  readonly taken: readonly (ClusterConfig | FoundCluster["cluster"])[];
  readonly refused: readonly string[];
} {
  const taken = new Map<string, ClusterConfig | FoundCluster["cluster"]>(
    configured.map((cluster) => [cluster.name, cluster]),
  );
  const origins = new Map(configured.map(({ name }) => [name, "the configuration"]));
  const refused: string[] = [];
  for (const { origin, cluster } of found) {
    const first = origins.get(cluster.name);
    const why =
      first === undefined
        ? taken.size < mostClusters
          ? undefined
          : `there are ${mostClusters} clusters already, and no more are watched`
        : `the name ${cluster.name} is taken by ${first}`;
    if (why === undefined) {
      taken.set(cluster.name, cluster);
      origins.set(cluster.name, origin);
    } else refused.push(`${origin}: ${why}`);
  }
  return { taken: [...taken.values()], refused };
}
