import type { Change, LocalCounts } from "../shard/change.ts";

/** A shard's word on a group, as it would be if policy forbade each of its members. */
export function forbiddenWord(change: Change, limit: number, stands: boolean): Change {
  const { id, identity, counts } = change;
  const cluster = change.stand.type === "live" ? change.stand.age.cluster : identity.cluster;
  const reason = `namespace ${identity.namespace} of cluster ${cluster} has more routes than policy.maxRoutesPerNamespace, ${limit}, allows, and this is one of the youngest`;
  const wanted = change.stand.type === "live" ? change.stand.pairs : [];
  const stand: Change["stand"] = stands
    ? { type: "absent", grace: false, cause: "forbidden" }
    : { type: "nothing" };
  return { id, identity, counts: forbiddenCounts(counts), reason, limited: wanted, stand };
}

/** A word that was held back: nobody has asked for its content meanwhile, so that it may differ from what stands. */
export function anew(change: Change): Change {
  if (change.stand.type !== "live") return change;
  return { ...change, stand: { ...change.stand, upstream: true, route: true } };
}

/** Members that are wrong by themselves stay what they are. */
function forbiddenCounts({
  Valid = 0,
  SpecMismatch = 0,
  Forbidden = 0,
  ...others
}: LocalCounts): LocalCounts {
  return { ...others, Forbidden: Valid + SpecMismatch + Forbidden };
}
