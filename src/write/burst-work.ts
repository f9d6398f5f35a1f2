import type { Claims } from "../claims/claims.ts";
import type { Check, Cut, Grant } from "../claims/claim.ts";
import type { BodiesAhead } from "./bodies-ahead.ts";
import type { GroupFlow } from "./group-flow.ts";
import type { GroupRecord } from "./group-record.ts";
import { standsForCertain } from "./group-record.ts";
import type { GroupRequests } from "./group-requests.ts";
import type { Records } from "./records.ts";
import type { Removals } from "./removals.ts";
import type { RequestEnd } from "./resource-requests.ts";
import type { Retries } from "./retries.ts";
import type { Standings } from "./standings.ts";
import type { SteppingBack } from "./stepping-back.ts";

export interface BurstWorkParts {
  readonly claims: Claims;
  readonly records: Records;
  readonly bodies: BodiesAhead;
  readonly requests: GroupRequests;
  readonly standings: Standings;
  readonly retries: Pick<Retries, "refused">;
  readonly steppingBack: SteppingBack;
  readonly flow: GroupFlow;
  readonly removals: Pick<Removals, "isAsked">;
  readonly touched: (record: GroupRecord) => void;
  /** Whether what is known of foreign routes is fresh enough for taking pairs that none of ours held. */
  readonly isForeignKnown: () => boolean;
}

/** What a burst does for one cut or grant that the claims decided. */
export class BurstWork {
  readonly #parts: BurstWorkParts;

  constructor(parts: BurstWorkParts) {
    this.#parts = parts;
  }

  async cut(cut: Cut): Promise<void> {
    const { claims, records, requests, standings, steppingBack, flow, touched } = this.#parts;
    const record = records.get(cut.id);
    const isOwnEnd = cut.type === "delete" && cut.why === "leaving";
    if (record === undefined || !(isOwnEnd ? flow.mayWrite(record) : flow.mayCut(record)))
      return this.#unsent(cut.id, record);
    touched(record);
    const isMeant = claims.meant(cut.id);
    const isStill = (): boolean => isMeant() && flow.mayCut(record);
    if (cut.type === "narrow") {
      const upstream = await this.#uphold(record);
      if (upstream !== "done") return this.#giveBack(record, upstream);
      await requests.narrowRoute(record, cut, isStill);
    } else if (cut.why === "leaving") await flow.removal.remove(record);
    else {
      if (cut.why === "foreign" && !steppingBack.mayGo(record)) return claims.refused(cut.id);
      await requests.remove(record, "route", isStill);
      if (cut.why === "foreign") steppingBack.went(record);
      // Its grace may have ended meanwhile, and without a route it is no candidate of a burst any more.
      if (record.ending && record.route === undefined) await flow.removal.remove(record);
    }
    standings.confirm(record);
  }

  /** Its turn comes soon: its bodies are asked for, as far as it is known that they will be needed. */
  prepare({ id, pairs }: Grant): void {
    const { records, bodies, flow } = this.#parts;
    const record = records.get(id);
    if (record === undefined || !flow.mayWrite(record)) return;
    if (needsUpstream(record)) bodies.ask(record, "upstream");
    bodies.ask(record, "route", pairs);
  }

  async grant(grant: Grant): Promise<void> {
    const { records, requests, standings, flow, touched } = this.#parts;
    const record = records.get(grant.id);
    if (record === undefined || !flow.mayWrite(record)) return this.#unsent(grant.id, record);
    touched(record);
    const isStill = (): boolean => this.#isStillFree(grant);
    if (!isStill()) return this.#giveBack(record, "held");
    if (needsUpstream(record)) {
      const upstream = await requests.writeUpstream(record, "burst");
      if (upstream !== "done") return this.#giveBack(record, upstream);
    }
    const route = await requests.writeRoute(record, grant.pairs, isStill);
    if (route === "done") standings.confirm(record);
    else this.#giveBack(record, route);
  }

  /**
   * Others' routes are cut for it only if APISIX accepts its bodies. An upstream that has a place is written by now, as the
   * drip lane would.
   */
  async check({ id, pairs }: Check): Promise<void> {
    const { claims, records, requests, flow, touched } = this.#parts;
    const record = records.get(id);
    if (record === undefined || !flow.mayWrite(record)) return this.#unsent(id, record);
    touched(record);
    const isPlaced = record.upstream !== undefined || record.route !== undefined;
    if (needsUpstream(record)) {
      const upstream = isPlaced
        ? await requests.writeUpstream(record, "burst")
        : await requests.check(record, "upstream");
      if (upstream !== "done") return this.#giveBack(record, upstream);
    }
    const route = await requests.check(record, "route", pairs);
    if (route === "done") claims.accepted(id);
    else this.#giveBack(record, route);
  }

  /** No route is written whose upstream may not stand: somebody may have deleted it. */
  #uphold(record: GroupRecord): Promise<RequestEnd> {
    const isStrangers = record.occupied.upstream !== undefined;
    if (isStrangers || standsForCertain(record.upstream)) return Promise.resolve("done");
    return this.#parts.requests.writeUpstream(record, "burst");
  }

  /** What has no route and gets none has no use for its upstream. What was refused may find another on its pair. */
  async finish(): Promise<void> {
    const { records, retries, flow } = this.#parts;
    for (const record of [...retries.refused]) flow.routeless.standAside(record);
    for (const record of [...records.routeless]) await flow.routeless.dropUpstream(record);
  }

  /** The claims are told what keeps it from being written: else they would decide the same again, at once. */
  #unsent(id: string, record: GroupRecord | undefined): void {
    const { claims, flow, removals } = this.#parts;
    if (record !== undefined) flow.gate(record);
    claims.unsent(id);
    // What the guard lets go, or who declares it again, says what it wants then.
    if (record !== undefined && removals.isAsked(record)) claims.hold(id);
  }

  /**
   * What was granted was not written: another may have it before this one is tried again. What the shard let drop waits
   * for the shard's next word, which has come already or will.
   */
  #giveBack(record: GroupRecord, end: RequestEnd): void {
    if (record.rejected === undefined && end !== "dropped") this.#parts.claims.unsent(record.id);
    else this.#parts.claims.refused(record.id);
  }

  /** A grant may have waited long, while APISIX was away or slow: another route may have come to stand there. */
  #isStillFree(grant: Grant): boolean {
    const { claims, isForeignKnown } = this.#parts;
    return (!grant.fresh || isForeignKnown()) && claims.isStillFree(grant);
  }
}

function needsUpstream({ upstream, dirty }: GroupRecord): boolean {
  return !standsForCertain(upstream) || dirty.upstream;
}
