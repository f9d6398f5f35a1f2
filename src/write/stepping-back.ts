import type { Claims } from "../claims/claims.ts";
import { pairsOf } from "../declare/pair.ts";
import type { Clock, Log } from "../runtime.ts";
import type { GroupRecord } from "./group-record.ts";
import type { Guard } from "./guard.ts";
import type { Records } from "./records.ts";

export interface SteppingBackParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly claims: Claims;
  readonly records: Records;
  readonly guard: Guard;
}

/** Routes of ours that have to step back from an older foreign one, on their way through the guard. */
export class SteppingBack {
  readonly #parts: SteppingBackParts;
  readonly #held = new Set<GroupRecord>();

  constructor(parts: SteppingBackParts) {
    this.#parts = parts;
  }

  /** False: the guard holds it, and it stays until that is approved or the foreign route has gone. */
  mayGo(record: GroupRecord): boolean {
    const { clock, log, records, guard } = this.#parts;
    const { cluster } = record.identity;
    if (guard.ask(clock.now(), record.id, cluster, records.owned(cluster)) === "go") return true;
    if (this.#held.has(record)) return false;
    this.#held.add(record);
    const { batch } = guard.status();
    const advice = `see whose the foreign route is, then approve: POST /guard/approve?batch=${batch}`;
    log.warn({ cluster, groups: 1, batch, advice }, "the guard holds a route that must step back");
    return false;
  }

  /** The request that takes it off has ended. */
  went({ id }: GroupRecord): void {
    this.#parts.guard.went(this.#parts.clock.now(), id);
  }

  /** Takes up what was approved, and lets be what no foreign route stands beside any more. */
  review(): void {
    const { clock, claims, guard } = this.#parts;
    for (const record of this.#held) {
      const isApproved = !guard.isHeld(record.id);
      if (!isApproved && this.#isBesideForeign(record)) continue;
      this.#held.delete(record);
      if (!isApproved && !record.held) guard.release(clock.now(), record.id);
      if (record.claim !== undefined) claims.want({ ...record.claim, dirty: record.dirty.route });
    }
  }

  #isBesideForeign({ route }: GroupRecord): boolean {
    const { claims } = this.#parts;
    const pairs = route === undefined ? [] : pairsOf(route.shape.hosts, route.shape.uris);
    return pairs.some((pair) => claims.holder(pair)?.foreign === true);
  }
}
