import type { Identity } from "../../../src/apisix/types.ts";
import type { Body } from "../oracle/ownership.ts";
import { nodesOf } from "../oracle/ownership.ts";

/**
 * Whether an emptying only takes out what somebody put there: each node that stood says of no cluster that it is its own, as
 * every node that we write to a fleet group does (PRODUCT.md, "What stands in APISIX"). No source gave them, so none is
 * missed, as in the repair of a group that the guard holds, or that stays for a cluster that is unseen. Where the group
 * begins to leave, all that goes of it is its route, and it counts once that is deleted, its grace before that included.
 */
export function isMerelyRestored(
  { share }: Identity,
  before: Body,
  isCluster: (name: string) => boolean,
): boolean {
  return share === "fleet" && nodesOf(before).every(({ metadata }) => !isCluster(metadata?.cluster ?? ""));
}
