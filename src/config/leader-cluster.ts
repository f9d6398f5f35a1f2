import type { ClusterConfig } from "../config.ts";

/** Where the Lease is if nobody says: the one cluster that the translator runs in, else the only one. */
export function leaderCluster(clusters: readonly ClusterConfig[]): string | undefined {
  const own = clusters.filter(({ inCluster }) => inCluster);
  const candidates = own.length > 0 ? own : clusters;
  return candidates.length === 1 ? candidates[0]?.name : undefined;
}
