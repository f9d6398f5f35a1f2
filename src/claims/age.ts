import { compareBytewise } from "../declare/byte-order.ts";
import type { Age } from "../shard/change.ts";
import type { Claim } from "./claim.ts";

/** Oldest first: by `created`, then cluster, namespace, name, bytewise. */
export function compareAge(a: Age, b: Age): number {
  return (
    a.created - b.created ||
    compareBytewise(a.cluster, b.cluster) ||
    compareBytewise(a.namespace, b.namespace) ||
    compareBytewise(a.name, b.name)
  );
}

/** The order in which claims are served: heirs, then the oldest. Total: routes of one object are told apart by id. */
export function compareClaims(a: Claim, b: Claim): number {
  if (a.inherits !== b.inherits) return a.inherits ? -1 : 1;
  return compareAge(a.age, b.age) || compareBytewise(a.id, b.id);
}
