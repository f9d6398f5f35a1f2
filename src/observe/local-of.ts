import type { Explained } from "../shard/protocol.ts";
import type { GroupRecord } from "../write/group-record.ts";
import type { Local } from "./reasons.ts";

/**
 * What a declaration is by itself. Two faults are those of its whole group, which its shard does not tell of each member:
 * a body that is too big, and a limit that the group is over.
 */
export function localOf({ cluster, state, reason, nodes }: Explained, { change }: GroupRecord): Local {
  if (change?.limited !== undefined && (state === "Valid" || state === "SpecMismatch"))
    return { state: "Forbidden", reason: change.reason ?? "", nodes: 0 };
  const isTooBig = state === "Valid" && change?.counts.Invalid !== undefined && !change.counts.Valid;
  return isTooBig
    ? { state: "Invalid", reason: change.reason ?? "" }
    : { state, reason, cluster, ...(nodes === undefined ? {} : { nodes }) };
}
