import type { MemberCluster } from "../apisix/types.ts";

/** Clusters of either; who is in both is known as in `b`. */
export function unionOf(a: readonly MemberCluster[], b: readonly MemberCluster[]): readonly MemberCluster[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  return [...new Map([...a, ...b])];
}
