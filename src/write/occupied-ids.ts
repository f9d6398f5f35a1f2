import type { ForeignIds } from "../apisix/snapshot.ts";
import type { ForeignRoute } from "../claims/claim.ts";
import type { Claims } from "../claims/claims.ts";
import type { GroupRecord } from "./group-record.ts";
import { isOccupied } from "./group-record.ts";
import type { Portions } from "./portions.ts";
import type { Records } from "./records.ts";

/** What a look at routes, or at everything, has found that is not ours. */
export interface Strangers {
  readonly routes: readonly ForeignRoute[];
  /** Under ids of the form of ours: never touched. The other resource of such an id may be ours. */
  readonly ids: ForeignIds;
  /** `Clock.now()` at its begin: what a later look at one id has found is believed. */
  readonly asOf: number;
}

interface Hearing {
  readonly claims: Claims;
  readonly records: Records;
  readonly portions: Portions;
}

/**
 * Writes down where strangers stand, in place of what was said before: in portions, and then calls `done` with the groups
 * that may be concerned.
 */
export function hearStrangers(
  { claims, records, portions }: Hearing,
  found: Strangers,
  done: (moved: readonly GroupRecord[]) => void,
): void {
  const moved: GroupRecord[] = [];
  const note = (record: GroupRecord): void => {
    if (noteStrangers(claims, record, found)) moved.push(record);
  };
  portions.run(claims.hearForeign(found.routes, found.ids), () => {});
  portions.run(records.strangers.values(), (stranger) => {
    noteStrangers(claims, stranger, found);
    if (!isOccupied(stranger)) records.strangers.delete(stranger.id);
  });
  portions.run(records.all(), note, () => done(moved));
}

/** Whether it may concern the group. */
function noteStrangers(
  claims: Claims,
  record: Pick<GroupRecord, "id" | "occupied">,
  { ids, asOf }: Strangers,
): boolean {
  const before = isOccupied(record);
  for (const resource of ["upstream", "route"] as const) {
    const since = record.occupied[resource];
    if (ids[resource].has(record.id)) record.occupied = { ...record.occupied, [resource]: since ?? asOf };
    else if (since === undefined) continue;
    else if (since < asOf) record.occupied = { ...record.occupied, [resource]: undefined };
    else claims.occupy(record.id, resource);
  }
  return before || isOccupied(record);
}
