import type { Claims } from "../claims/claims.ts";
import type { Cut, Grant } from "../claims/claim.ts";
import type { Clock } from "../runtime.ts";
import type { GroupFlow } from "./group-flow.ts";
import type { GroupRecord } from "./group-record.ts";
import type { GroupRequests } from "./group-requests.ts";
import type { Guard } from "./guard.ts";
import type { Records } from "./records.ts";
import type { Standings } from "./standings.ts";

export interface BurstWorkParts {
  readonly clock: Clock;
  readonly claims: Claims;
  readonly records: Records;
  readonly requests: GroupRequests;
  readonly standings: Standings;
  readonly guard: Guard;
  readonly flow: GroupFlow;
  readonly touched: (record: GroupRecord) => void;
}

/** What a burst does for one cut or grant that the claims decided. */
export class BurstWork {
  readonly #parts: BurstWorkParts;
  /** Routes taken down for others in this burst; their upstreams may have to follow. */
  readonly #taken = new Set<GroupRecord>();

  constructor(parts: BurstWorkParts) {
    this.#parts = parts;
  }

  async cut(cut: Cut): Promise<void> {
    const { claims, records, requests, standings, flow, touched } = this.#parts;
    const record = records.get(cut.id);
    if (record === undefined || !flow.mayWrite(record)) return claims.unsent(cut.id);
    touched(record);
    if (cut.type === "narrow") await requests.narrowRoute(record, cut);
    else if (cut.why === "leaving") await flow.remove(record);
    else {
      if (cut.why === "foreign" && this.#isHeld(record)) return claims.refused(cut.id);
      await requests.remove(record, "route", () => true);
      this.#taken.add(record);
    }
    standings.confirm(record);
  }

  async grant(grant: Grant): Promise<void> {
    const { claims, records, requests, standings, flow, touched } = this.#parts;
    const record = records.get(grant.id);
    if (record === undefined || !flow.mayWrite(record)) return claims.unsent(grant.id);
    touched(record);
    if (record.upstream === undefined || record.dirty.upstream) {
      const upstream = await requests.writeUpstream(record, "burst");
      if (upstream !== "done") return this.#giveBack(record);
    }
    const route = await requests.writeRoute(record, grant.pairs);
    if (route === "done") standings.confirm(record);
    else this.#giveBack(record);
  }

  /** A route that was taken down and did not come back has no use for its upstream. */
  async finish(): Promise<void> {
    const { claims, requests, flow } = this.#parts;
    for (const record of this.#taken) {
      const isOut = record.route === undefined && claims.outcome(record.id).state === "conflict";
      if (isOut && flow.mayWrite(record))
        await requests.remove(record, "both", () => record.route === undefined);
    }
    this.#taken.clear();
  }

  /** What was granted was not written: another may have it before this one is tried again. */
  #giveBack(record: GroupRecord): void {
    if (record.rejected === undefined) this.#parts.claims.unsent(record.id);
    else this.#parts.claims.refused(record.id);
  }

  #isHeld(record: GroupRecord): boolean {
    const { guard, clock, records } = this.#parts;
    const { cluster } = record.identity;
    return guard.ask(clock.now(), record.id, cluster, records.owned(cluster)) === "held";
  }
}
