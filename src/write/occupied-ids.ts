import type { ForeignIds } from "../apisix/snapshot.ts";
import type { ForeignRoute } from "../claims/claim.ts";
import type { Claims } from "../claims/claims.ts";
import type { GroupRecord } from "./group-record.ts";
import { isOccupied } from "./group-record.ts";
import type { Records } from "./records.ts";

/** What a look at routes, or at everything, has found that is not ours. */
export interface Strangers {
  readonly routes: readonly ForeignRoute[];
  /** Under ids of the form of ours: never touched. The other resource of such an id may be ours. */
  readonly ids: ForeignIds;
  /** `Clock.now()` at its begin: what a later look at one id has found is believed. */
  readonly asOf: number;
}

/** Writes down where strangers stand, in place of what was said before. Returns the groups that may be concerned. */
export function noteStrangers(claims: Claims, records: Records, found: Strangers): GroupRecord[] {
  const { routes, ids, asOf } = found;
  claims.setForeign(routes, ids);
  const moved: GroupRecord[] = [];
  for (const record of records.all()) {
    const before = isOccupied(record);
    for (const resource of ["upstream", "route"] as const) {
      const since = record.occupied[resource];
      if (ids[resource].has(record.id)) record.occupied = { ...record.occupied, [resource]: since ?? asOf };
      else if (since === undefined) continue;
      else if (since < asOf) record.occupied = { ...record.occupied, [resource]: undefined };
      else claims.occupy(record.id, resource);
    }
    if (before || isOccupied(record)) moved.push(record);
  }
  return moved;
}
