import type { Pair } from "../declare/pair.ts";
import { isEmpty } from "./claim.ts";
import type { Blocker, Check, Claim, Cut, Grant, Round } from "./claim.ts";
import { isFree, isSatisfied, mayStand, narrowed, wants } from "./entry.ts";
import type { Entry, Sent } from "./entry.ts";
import { compareEntries, EntryQueue } from "./entry-queue.ts";
import { makeRoom } from "./make-room.ts";
import type { Occupancy } from "./occupancy.ts";
import type { Waiting } from "./waiting.ts";

const nobody: ReadonlySet<Entry> = new Set();

/**
 * One burst: rounds of cuts and grants until nothing moves any more.
 *
 * A round serves its candidates in order. A claim whose pairs are free is granted. One whose pairs are free or yielded
 * awaits them, and reserves them against younger ones. Any other is in conflict, reserves nothing and makes nobody
 * yield. Only when a round would be empty are routes cut for those that await: so a route that can move by itself is
 * never taken down, and a cycle is cut in one place, for the claim that is first in order. Before that APISIX is asked
 * whether it accepts what all those want who rely on the cut.
 */
export class Burst {
  /** To be judged in the next rounds. */
  due = new EntryQueue();
  /** Their pairs are free or yielded, and reserved for them. Each is judged in every round. */
  readonly awaiting = new Set<Entry>();
  /** Pairs that ours gave up since the burst began. */
  readonly released = new Set<Pair>();
  #inFlight = 0;
  /** Claims for which routes were cut in the last round. */
  #served: ReadonlySet<Entry> = nobody;
  readonly #occupancy: Occupancy;
  readonly #waiting: Waiting;
  readonly #portion: number;

  /** `portion`: candidates that one round judges at most, beside those that await. */
  constructor(occupancy: Occupancy, waiting: Waiting, portion: number) {
    this.#occupancy = occupancy;
    this.#waiting = waiting;
    this.#portion = portion;
  }

  /** Takes everything in `next` into this burst; returns the queue of the next one. */
  begin(next: EntryQueue): EntryQueue {
    this.released.clear();
    if (this.due.size === 0) {
      const emptied = this.due;
      this.due = next;
      return emptied;
    }
    for (const entry of next) this.due.add(entry);
    return new EntryQueue();
  }

  /** The request of `entry` has been answered, or was never made. */
  over(entry: Entry): Sent | undefined {
    const { sent } = entry;
    if (sent !== undefined) this.#inFlight -= 1;
    entry.sent = undefined;
    return sent;
  }

  /**
   * Judges a portion of the candidates, the first in order, so that no turn of the event loop judges a whole fleet. The
   * rest is judged once the portion's requests have been answered: younger ones take what older ones have left.
   */
  round(): Round {
    for (let judged = 0; ;) {
      const { queue, isWhole } = this.#take();
      const round = this.#judge(queue, isWhole);
      judged += queue.length;
      if (!isEmpty(round) || this.due.size === 0) return round;
      if (judged >= this.#portion) return { ...round, more: true };
    }
  }

  /** `isWhole`: nothing is due behind them. */
  #judge(queue: readonly Entry[], isWhole: boolean): Round {
    const reservedBefore = queue.filter((entry) => this.awaiting.delete(entry));
    const cuts: Cut[] = [];
    const grants: Grant[] = [];
    const blockers = new Map<Entry, Set<Entry>>();
    const reserved = new Set<Pair>();
    for (const entry of queue) {
      if (!isActionable(entry, this.#occupancy)) continue;
      if (entry.word.type === "want" && !isSatisfied(entry)) {
        const grant = this.#serve(entry, entry.word.claim, reserved, blockers);
        if (grant !== undefined) grants.push(grant);
      }
      if (entry.sent === undefined && !this.awaiting.has(entry)) this.#stepBack(entry, cuts);
    }
    for (const entry of reservedBefore)
      if (entry.sent?.type !== "grant" && !this.awaiting.has(entry)) this.#unreserve(entry);
    if (isWhole && cuts.length === 0 && grants.length === 0 && this.#inFlight === 0) {
      const { cut, served, relying } = makeRoom(blockers);
      const checks = this.#checks(relying);
      if (checks.length > 0) return { cuts, grants, checks };
      for (const entry of cut) cuts.push(this.#cut(entry));
      this.#served = served;
    }
    return { cuts, grants };
  }

  /**
   * The first portion of what is due, and those awaiting that come before its end. What is cut for a claim goes to that
   * claim: it is judged first. Then routes that leave, then claims in their order.
   */
  #take(): { readonly queue: readonly Entry[]; readonly isWhole: boolean } {
    const served = [...this.#served].filter((entry) => this.due.delete(entry) || this.awaiting.has(entry));
    const isServed = this.#served;
    this.#served = nobody;
    const due: Entry[] = [];
    while (due.length < this.#portion) {
      const entry = this.due.shift();
      if (entry === undefined) break;
      due.push(entry);
    }
    const rest = this.due.first();
    const awaiting = [...this.awaiting].filter(
      (entry) => !isServed.has(entry) && (rest === undefined || compareEntries(entry, rest) < 0),
    );
    const queue = [...served.toSorted(compareEntries), ...[...due, ...awaiting].toSorted(compareEntries)];
    return { queue, isWhole: rest === undefined };
  }

  /** Grants, lets it await, or puts it among the waiting. */
  #serve(
    entry: Entry,
    claim: Claim,
    reserved: Set<Pair>,
    blockers: Map<Entry, Set<Entry>>,
  ): Grant | undefined {
    const yielding = new Set<Entry>();
    let isKept = this.#occupancy.isOccupied(entry.id);
    for (const pair of claim.pairs) {
      isKept ||= reserved.has(pair);
      for (const { yields } of this.#occupancy.obstacles(entry, claim, pair))
        if (yields === undefined) isKept = true;
        else yielding.add(yields);
    }
    if (isKept) {
      this.#waiting.add(entry, claim.pairs);
      return undefined;
    }
    if (yielding.size === 0) return this.#grant(entry, claim);
    this.awaiting.add(entry);
    blockers.set(entry, yielding);
    for (const pair of claim.pairs) reserved.add(pair);
    return undefined;
  }

  #grant(entry: Entry, claim: Claim): Grant {
    const { pairs } = claim;
    const fresh = pairs.some((pair) => !this.#occupancy.standsOn(entry, pair) && !this.released.has(pair));
    this.#send(entry, "grant", pairs);
    this.#occupancy.place(entry, entry.standing);
    return { id: entry.id, pairs, fresh };
  }

  /** What of `relying` APISIX has not been asked for: what it refuses is to cost nobody a route. */
  #checks(relying: ReadonlySet<Entry>): readonly Check[] {
    const checks: Check[] = [];
    for (const entry of relying) {
      if (entry.word.type !== "want" || entry.accepted === entry.word) continue;
      // A stranger keeps it from all it wants: nothing is to be written of it that APISIX could be asked for.
      if (this.#occupancy.isOccupied(entry.id)) continue;
      this.#send(entry, "check", []);
      checks.push({ id: entry.id, pairs: entry.word.claim.pairs });
    }
    return checks;
  }

  /** Deletes what nothing declares any more, and takes `entry` off pairs to which another has more right. */
  #stepBack(entry: Entry, cuts: Cut[]): void {
    if (isDeparting(entry)) {
      cuts.push({ type: "delete", id: entry.id, why: "leaving" });
      this.#send(entry, "cut", []);
      return;
    }
    const reason = this.#occupancy.stepsBack(entry);
    if (reason !== undefined) cuts.push(this.#cut(entry, reason));
  }

  #cut(entry: Entry, reason?: Blocker): Cut {
    this.#send(entry, "cut", []);
    const shape = reason !== undefined && wants(entry, reason.pair) ? undefined : narrowed(entry);
    return shape === undefined
      ? { type: "delete", id: entry.id, why: reason?.foreign === true ? "foreign" : "yield" }
      : { type: "narrow", id: entry.id, ...shape };
  }

  #send(entry: Entry, type: Sent["type"], pairs: readonly Pair[]): void {
    entry.sent = { type, word: entry.word, pairs };
    this.#inFlight += 1;
  }

  /** It no longer reserves its pairs: whoever waits for one is judged again. */
  #unreserve(entry: Entry): void {
    if (entry.word.type !== "want") return;
    for (const pair of entry.word.claim.pairs)
      for (const other of [...this.#waiting.at(pair)]) {
        if (other === entry) continue;
        this.#waiting.remove(other);
        this.due.add(other);
      }
  }
}

/** Nothing declares it, and its grace is over. */
function isDeparting(entry: Entry): boolean {
  return entry.word.type === "leave" && entry.word.grace === undefined && mayStand(entry);
}

/** Whether a burst has something to decide about `entry`. */
export function isActionable(entry: Entry, occupancy: Occupancy): boolean {
  if (!isFree(entry) || entry.sent !== undefined) return false;
  if (entry.word.type === "want" && !isSatisfied(entry)) return true;
  if (isDeparting(entry)) return !occupancy.isStrangers(entry.id);
  return occupancy.stepsBack(entry) !== undefined;
}
