import type { Identity } from "../../../src/apisix/types.ts";
import type { Body } from "../oracle/ownership.ts";
import { nodesOf } from "../oracle/ownership.ts";

/** What is known of the clusters. */
interface Clusters {
  readonly has: (name: string) => boolean;
  /** Whether nothing may rest on what the cluster holds. */
  readonly isUnseen: (name: string) => boolean;
}

/**
 * Whether an emptying only takes out what somebody put there: each node that stood says of no cluster that it is its own, as
 * every node that we write to a fleet group does (PRODUCT.md, "What stands in APISIX"). No source gave them, so none is
 * missed; and the group does not begin to leave, for a cluster with a part in it is unseen.
 */
export function isMerelyRestored(
  { share }: Identity,
  before: Body,
  parts: readonly string[],
  { has, isUnseen }: Clusters,
): boolean {
  const isNobodys = nodesOf(before).every(({ metadata }) => !has(metadata?.cluster ?? ""));
  return share === "fleet" && isNobodys && parts.some(isUnseen);
}
