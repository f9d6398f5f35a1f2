import type { Change, LocalState } from "../shard/change.ts";
import type { GroupRecord } from "../write/group-record.ts";
import { mayStand } from "../write/group-record.ts";
import type { State } from "./state.ts";
import { groupStateOf, stateOf } from "./states.ts";
import type { StateFacts } from "./states.ts";

export type Counting = Record<State, number>;

export function noStates(): Counting {
  return {
    ...{ Pending: 0, Routed: 0, NoNodes: 0, Conflict: 0, Forbidden: 0 },
    ...{ Invalid: 0, SpecMismatch: 0, Rejected: 0, Frozen: 0, Leaving: 0 },
  };
}

const localStates: readonly LocalState[] = [
  ...(["Valid", "Invalid", "Forbidden", "SpecMismatch"] as const),
  ...(["Paused", "Unclear", "Unseen"] as const),
];

/**
 * Adds the declarations of one group. A group that stands and that nothing is known to declare counts as one: it is
 * leaving, or nobody can see who declares it. One that only goes on because an annotation cannot be read counts as none:
 * that annotation counts.
 */
export function countGroup(into: Counting, record: GroupRecord, facts: StateFacts): void {
  let declarations = 0;
  const counts = record.change?.counts;
  if (counts !== undefined)
    for (const local of localStates) {
      const count = counts[local] ?? 0;
      if (count === 0) continue;
      declarations += count;
      into[stateOf(record, local, facts)] += count;
    }
  const stand = record.change?.stand.type;
  const isUndeclared = stand === undefined || stand === "absent";
  if (declarations === 0 && isUndeclared && mayStand(record)) into[groupStateOf(record, facts)] += 1;
}

/** Adds declarations that belong to no group, an annotation that cannot be read as one. */
export function countStray(into: Counting, { counts }: Change): void {
  into.Invalid += (counts.Invalid ?? 0) + (counts.Valid ?? 0);
  into.Forbidden += counts.Forbidden ?? 0;
  into.SpecMismatch += counts.SpecMismatch ?? 0;
  into.Frozen += counts.Paused ?? 0;
}
