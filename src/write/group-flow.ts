import type { Resource } from "../apisix/types.ts";
import type { Claim } from "../claims/claim.ts";
import type { Change, Stand } from "../shard/change.ts";
import type { GroupFlowParts } from "./group-flow-parts.ts";
import type { GroupRecord } from "./group-record.ts";
import { isDeclared, mayHaveNodes, mayStand } from "./group-record.ts";
import { GroupRemoval } from "./group-removal.ts";
import type { Removal } from "./removals.ts";
import { Routeless } from "./routeless.ts";
import { ShardQuestions } from "./shard-questions.ts";

/** What becomes of a group: from its shard's word to claims, requests and removal. */
export class GroupFlow {
  readonly removal: GroupRemoval;
  readonly questions: ShardQuestions;
  readonly routeless: Routeless;
  readonly #parts: GroupFlowParts;

  constructor(parts: GroupFlowParts) {
    this.#parts = parts;
    this.removal = new GroupRemoval({
      ...parts,
      mayWrite: (record) => this.mayWrite(record),
      gate: (record) => this.gate(record),
      finalize: (record) => this.finalize(record),
    });
    this.routeless = new Routeless({
      ...parts,
      mayWrite: (record) => this.mayWrite(record),
      gate: (record) => this.gate(record),
    });
    this.questions = new ShardQuestions({ ...parts, finalize: (record) => this.finalize(record) });
  }

  /** A shard's word on one group. */
  take(record: GroupRecord, change: Change): void {
    const { claims, removals } = this.#parts.writer;
    record.change = change;
    if (change.at !== undefined) record.at = Math.min(record.at ?? change.at, change.at);
    const { stand } = change;
    if (stand.type === "absent") return this.#takeAbsent(record, stand);
    // A cluster that goes out of sight brings nothing back of what the guard was asked for.
    const isAsked = "onlyLost" in stand && removals.isAsked(record);
    const isBare = "bare" in stand && stand.bare;
    const isLoss = isBare && stand.upstream && mayHaveNodes(record, this.#parts.writer.isBusy(record.id));
    if (isAsked || isLoss) return this.#takeLoss(record, stand);
    if (isBare || ("onlyLost" in stand && stand.nodes === 0)) {
      this.removal.stay(record);
      removals.withdraw(record);
    } else this.#cancelRemoval(record);
    if (stand.type === "live") this.#takeLive(record, stand);
    else if (stand.type === "nothing") this.#takeNothing(record);
    else {
      claims.hold(record.id);
      record.claim = undefined;
      if (stand.type === "frozen" && stand.upstream) this.#parts.writer.retries.clear(record);
      if (stand.type === "frozen" && (stand.upstream || record.dirty.upstream)) this.#dirtyUpstream(record);
    }
    this.gate(record);
  }

  /** The guard let it go. */
  beginRemoval(record: GroupRecord, removal: Removal): void {
    if (removal === "empty") this.#beginEmptying(record);
    else if (removal === "leave") this.removal.leave(record);
    else this.removal.end(record);
  }

  /** The drip lane lets its upstream go. That of a group that is out, and stays for who is out of sight, is kept true. */
  release(id: string): void {
    const { writer, fault } = this.#parts;
    const record = writer.records.get(id);
    if (record?.dirty.upstream !== true || !this.mayWrite(record, "upstream")) return;
    if (record.upstream === undefined && record.route === undefined) return;
    const { routeless } = this;
    if (routeless.isOut(record) && this.#parts.mayGo(record))
      return void routeless.dropUpstream(record).catch(fault);
    void writer.requests.writeUpstream(record, "drip").catch(fault);
  }

  /** Whether a request that changes something of it, or of one resource of it, may be sent now. */
  mayWrite(record: GroupRecord, resource?: Resource): boolean {
    if (resource !== undefined && record.occupied[resource] !== undefined) return false;
    const { isAtWork, removals } = this.#parts.writer;
    return isAtWork && !this.#isBlocked(record, resource) && !record.held && !removals.isAsked(record);
  }

  /** Whether it may be taken off pairs for another's sake: nothing of it is out of sight. */
  mayCut(record: GroupRecord): boolean {
    return this.mayWrite(record) && this.#parts.mayGo(record);
  }

  /** What may be written of it may have changed. */
  gate(record: GroupRecord): void {
    if (this.#isForgotten(record)) return;
    this.#parts.writer.claims.block(record.id, this.#isBlocked(record), !this.#parts.mayGo(record));
  }

  /** What may be written of it may have changed: takes up whatever is open, if it may be written again. */
  again(record: GroupRecord): void {
    this.gate(record);
    if (this.#isForgotten(record)) return;
    this.routeless.standAside(record);
    if (!this.mayWrite(record)) return;
    const { writer, changed, fault } = this.#parts;
    if (record.dirty.upstream) changed(record.id);
    if (record.claim !== undefined && record.dirty.route)
      writer.claims.want({ ...record.claim, dirty: true });
    this.removal.again(record);
    void this.routeless.dropUpstream(record).catch(fault);
    writer.bursts.wake();
  }

  /** Reads an uncertain id, for whose pairs others may wait; false when it cannot be read now. */
  async readBack(record: GroupRecord): Promise<boolean> {
    const { requests, standings, claims, removals, bursts } = this.#parts.writer;
    const { uncertain } = record;
    const found = await requests.lookAt(record);
    // A request that went before the look has ended without an answer too: it has its own time.
    if (found === "failed" || record.uncertain !== uncertain) return false;
    if (this.#isForgotten(record)) {
      record.uncertain = undefined;
      return true;
    }
    standings.certain(record, found.upstream);
    // What the guard is asked for keeps what stands until it lets it go.
    if (record.claim !== undefined && !removals.isAsked(record))
      claims.want({ ...record.claim, dirty: record.dirty.route });
    this.finalize(record);
    this.again(record);
    bursts.wake();
    return true;
  }

  /** No request of it is under way any more: it may have been kept for that alone. */
  idle(id: string): void {
    const { records, bursts } = this.#parts.writer;
    const record = records.get(id);
    if (record === undefined) return;
    this.finalize(record);
    if (record.identity.share !== "fleet") return;
    // Other clusters may have a part in it than before.
    this.gate(record);
    bursts.wake();
  }

  /**
   * Less of it may stand than did. Where nothing declares it and nothing of it stands, it is forgotten everywhere; but not
   * before its requests have ended, for what they find is written down in its record.
   */
  finalize(record: GroupRecord): void {
    const { removals, retries, claims, records, limiting } = this.#parts.writer;
    if (this.#isForgotten(record)) return;
    this.removal.noteGone(record);
    if (mayStand(record) || isDeclared(record) || this.#parts.writer.isBusy(record.id)) return;
    this.removal.stay(record);
    removals.forgotten(record);
    retries.clear(record);
    claims.forget(record.id);
    records.delete(record);
    this.#parts.shards.forget(record.identity, record.id);
    limiting.forgotten(record.id);
  }

  /** A timer or an answer of a record that is no more: its id may have another one by now. */
  #isForgotten(record: GroupRecord): boolean {
    return this.#parts.writer.records.get(record.id) !== record;
  }

  #takeLive(record: GroupRecord, stand: Extract<Change["stand"], { type: "live" }>): void {
    const claim = this.#noteLive(record, stand);
    // After the wait has ended, or the drip lane would let go what may not be written yet; what waited besides goes with it.
    if (stand.upstream || record.dirty.upstream) this.#dirtyUpstream(record);
    this.#parts.writer.claims.want(claim);
  }

  #noteLive(record: GroupRecord, stand: Extract<Change["stand"], { type: "live" }>): Claim {
    if (stand.upstream || stand.route) this.#parts.writer.retries.clear(record);
    record.dirty.route ||= stand.route;
    const { id, identity } = record;
    const { age, pairs, inherits } = stand;
    record.claim = { id, identity, age, pairs, inherits, dirty: record.dirty.route };
    return record.claim;
  }

  #takeNothing(record: GroupRecord): void {
    const { claims } = this.#parts.writer;
    record.claim = undefined;
    if (mayStand(record) || this.#parts.writer.isBusy(record.id)) return claims.hold(record.id);
    claims.forget(record.id);
    this.finalize(record);
  }

  #takeAbsent(record: GroupRecord, { grace, cause }: Extract<Stand, { type: "absent" }>): void {
    const { claims, removals, retries } = this.#parts.writer;
    record.claim = undefined;
    record.dirty = { upstream: false, route: false };
    if (!mayStand(record) && !this.#parts.writer.isBusy(record.id)) return this.finalize(record);
    // It may have waited for this word, of a shard that took over.
    if (record.ending || (record.leaving !== undefined && grace)) return this.again(record);
    record.leaving = undefined;
    // What APISIX refused, or did not take, is not what is sent now.
    retries.clear(record);
    claims.hold(record.id);
    if (cause === "purged") removals.force(record);
    else removals.request(record, grace ? "leave" : "end");
    // What keeps a group that goes from being written is not what keeps one that stays.
    this.gate(record);
  }

  /** It stays; what its nodes were read from is gone, all of it or all that is seen, which may be a mistake: the guard is asked. */
  #takeLoss(record: GroupRecord, stand: Extract<Change["stand"], { readonly bare: boolean }>): void {
    const { claims, removals, retries } = this.#parts.writer;
    this.removal.stay(record);
    retries.clear(record);
    if (stand.type === "live") this.#noteLive(record, stand);
    else record.claim = undefined;
    claims.hold(record.id);
    this.gate(record);
    removals.request(record, "empty");
  }

  #beginEmptying(record: GroupRecord): void {
    this.#dirtyUpstream(record);
    if (record.claim !== undefined) this.#parts.writer.claims.want(record.claim);
    this.gate(record);
  }

  #cancelRemoval(record: GroupRecord): void {
    this.removal.stay(record);
    this.#parts.writer.removals.cancel(record);
  }

  #dirtyUpstream(record: GroupRecord): void {
    record.dirty.upstream = true;
    if (record.upstream !== undefined || record.route !== undefined) this.#parts.changed(record.id);
  }

  /** What a shard wanted that is lost, a removal it may be, is not wanted before the one that took over has spoken. */
  #isBlocked(record: GroupRecord, resource?: Resource): boolean {
    const waits = record.retryAt > 0 && !(resource === "upstream" && isRouteRefused(record));
    return record.change === undefined || waits || !this.#parts.isVisible(record);
  }
}

/** It waits for nothing but another try of its route: its nodes are followed meanwhile. */
function isRouteRefused({ rejected, retryAt }: GroupRecord): boolean {
  return rejected?.resource === "route" && rejected.until === retryAt;
}
