import type { Outcome } from "../claims/claim.ts";
import type { LocalState } from "../shard/change.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { isOccupied, mayStand } from "../write/group-record.ts";
import type { State } from "./state.ts";

/** What the stages know of a group beside its record. Everything is asked once a group: it must be cheap. */
export interface StateFacts {
  /** How the group fares among the claims. */
  outcome(id: string): Outcome;
  /** Why nothing of this group is written now, as a clause: `east-1/pods is degraded: …`; undefined: it is visible. */
  hidden(record: Pick<GroupRecord, "identity" | "change">): string | undefined;
  /** The guard holds its removal, or its stepping back from an older foreign route. */
  isHeld(id: string): boolean;
}

/**
 * Where one declaration stands. The first line that fits decides:
 *
 * | what is so | state | why before those below |
 * |---|---|---|
 * | paused | Frozen | nothing of it is written, whatever else is so |
 * | one of a fleet group's, its cluster cannot be seen | Frozen | the others' nodes go on being written |
 * | Invalid or Forbidden, nothing of it stands | as said | nothing to keep: the user has to act |
 * | its cluster cannot be seen, its shard is reseeded | Frozen | what is known of it may be old |
 * | Invalid, Forbidden, SpecMismatch | as said | its own fault comes before its group's fate |
 * | the guard holds the group | Frozen | an operator has to act |
 * | the group is leaving | Leaving | |
 * | it stands, and no shard has spoken of it | Frozen | unknown is never empty |
 * | APISIX refused the body | Rejected | it would be refused without the conflict too |
 * | another route stands on a pair, or a foreign object on the id | Conflict | |
 * | nothing stands, and no member can set the spec (all are ending) | NoNodes | nothing is going to be written |
 * | route or upstream is to be written, or may not be as believed | Pending | |
 * | what stands cannot be held against it | Frozen | it cannot be said to stand as declared |
 * | no node | NoNodes | |
 * | anything else | Routed | |
 */
export function stateOf(record: GroupRecord, local: LocalState, facts: StateFacts): State {
  if (local === "Paused" || local === "Unseen") return "Frozen";
  if ((local === "Invalid" || local === "Forbidden") && !mayStand(record)) return local;
  if (local === "Valid") return groupStateOf(record, facts);
  if (local === "Unclear") return unclearStateOf(record, facts);
  return facts.hidden(record) === undefined ? local : "Frozen";
}

/** Where the group stands by itself: what its valid declarations are, and a group that nothing declares any more. */
export function groupStateOf(record: GroupRecord, facts: StateFacts): State {
  const stand = record.change?.stand;
  if (facts.hidden(record) !== undefined || facts.isHeld(record.id)) return "Frozen";
  if (stand?.type === "absent") return "Leaving";
  if (stand === undefined) return mayStand(record) ? "Frozen" : "Pending";
  if (stand.type === "untouched") return "Frozen";
  if (record.rejected !== undefined) return "Rejected";
  const outcome = facts.outcome(record.id);
  if (outcome.state === "conflict" || isOccupied(record)) return "Conflict";
  if (stand.type === "nothing") return "NoNodes";
  if (isOpen(record, outcome)) return "Pending";
  return stand.nodes === 0 ? "NoNodes" : "Routed";
}

function unclearStateOf(record: GroupRecord, facts: StateFacts): State {
  const state = groupStateOf(record, facts);
  return state === "Routed" || state === "NoNodes" ? "Frozen" : state;
}

/** Whether what stands may not be what is declared. */
function isOpen(record: GroupRecord, outcome: Outcome): boolean {
  if (record.dirty.upstream || record.retryAt > 0 || record.uncertain !== undefined) return true;
  return record.change?.stand.type === "live" && outcome.state !== "holds";
}
