import type { Identity, Resource } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import { Answers } from "./answers.ts";
import { Burst } from "./burst.ts";
import { Candidates } from "./candidates.ts";
import type { Claim, ForeignRoute, Grant, Intruder, Outcome, Round, RouteShape } from "./claim.ts";
import { gone, isSameClaim, keep, noPairs } from "./entry.ts";
import { Occupancy } from "./occupancy.ts";
import type { OccupiedIds } from "./occupancy.ts";
import { isKeptOut, outcomeOf } from "./outcome.ts";
import { sortedPairs } from "./sorted-pairs.ts";
import { Waiting } from "./waiting.ts";

/** A round of so many is judged in about ten milliseconds. */
const usualPortion = 1000;

/**
 * Who holds which `(host, uri)` pair (PRODUCT.md, "Conflicts"). Pure: hears words from the shards, answers from APISIX
 * and looks at it, and says what may be written.
 *
 * Guarantees: a route is granted pairs only if no other route, ours or foreign, stands or may stand on one of them.
 * Grants follow acknowledgements. What is declared before a burst starts leads to the same state in any order.
 *
 * Assumptions: every id in a round is answered by one of `stands`, `refused`, `uncertain` or `unsent` (a check by
 * `accepted`, `refused` or `unsent`), and the next round is asked for after all of them.
 */
export class Claims {
  readonly #occupancy: Occupancy;
  readonly #waiting = new Waiting();
  readonly #burst: Burst;
  readonly #candidates: Candidates;
  readonly #answers: Answers;

  /** `portion`: candidates that one round judges at most. `unfold`: as `Occupancy` takes it. */
  constructor({
    portion = usualPortion,
    unfold,
  }: { readonly portion?: number; readonly unfold?: number } = {}) {
    this.#occupancy = new Occupancy(unfold);
    this.#burst = new Burst(this.#occupancy, this.#waiting, portion);
    this.#candidates = new Candidates(this.#occupancy, this.#waiting, this.#burst, portion);
    this.#answers = new Answers(this.#candidates, this.#burst);
  }

  /** Declared and valid. Replaces every earlier word on that id, and ends the wait after a refusal. */
  want(claim: Claim): void {
    const entry = this.#candidates.findOrAdd(claim.id);
    const word = { type: "want", claim: { ...claim, pairs: sortedPairs(claim.pairs) } } as const;
    // A request that is on its way may change the content: what the shard compared with is out of date.
    const dirty = claim.dirty || entry.sent !== undefined;
    if (entry.waitsOn !== undefined && isSameClaim(entry.word, word.claim)) {
      entry.word = word;
      entry.dirty ||= dirty;
      return;
    }
    this.#candidates.say(entry, word, dirty);
  }

  /** Frozen, untouched, or held by the guard: keeps what stands, wants nothing, yields nothing. */
  hold(id: string): void {
    const entry = this.#candidates.find(id);
    if (entry !== undefined) this.#candidates.say(entry, keep, false);
  }

  /**
   * Nothing declares it any more. With `grace` it keeps its pairs, except from challengers of the same cluster and
   * namespace (`fleet`: namespace); without, the next burst deletes it.
   */
  leave(id: string, identity: Identity, { grace }: { readonly grace: boolean }): void {
    const entry = this.#candidates.find(id);
    if (entry === undefined) return;
    const word = { type: "leave", grace: grace ? { identity, pairs: entry.standing } : undefined } as const;
    this.#candidates.say(entry, word, false);
  }

  /** Nothing declares it and nothing stands. If a request is on its way, what that makes stand is deleted. */
  forget(id: string): void {
    const entry = this.#candidates.find(id);
    if (entry === undefined) return;
    this.#candidates.withdraw(entry);
    entry.word = gone;
    entry.blocked = false;
    entry.isFixed = false;
    entry.waitsForWord = "no";
    if (entry.sent === undefined) {
      entry.shape = null;
      entry.unsure = undefined;
    }
    this.#candidates.settle(entry, entry.shape === null ? noPairs : entry.standing, "next", "next");
  }

  /**
   * May not be written now (cluster degraded, shard being reseeded, backing off): neither granted nor cut. It keeps the
   * pairs it stands on and reserves no others. Its end also ends the wait after a refusal. `isFixed`: it may be granted
   * pairs, but is not cut for another's sake (a part of it is out of sight).
   */
  block(id: string, blocked: boolean, isFixed = false): void {
    const entry = blocked ? this.#candidates.findOrAdd(id) : this.#candidates.find(id);
    if (entry === undefined || (entry.blocked === blocked && entry.isFixed === isFixed)) return;
    const turn = this.#candidates.withdraw(entry);
    if (!blocked && entry.blocked) entry.waitsForWord = "no";
    entry.blocked = blocked;
    entry.isFixed = isFixed;
    this.#candidates.settle(entry, entry.standing, turn, turn);
  }

  /**
   * Acknowledged or read: this is what stands (null: nothing), and nothing else may. Ends the request that was sent.
   * `createdIndex` is APISIX's; where it is not given, a route that stood keeps the one known.
   */
  stands(id: string, _identity: Identity, shape: RouteShape | null, createdIndex?: number): void {
    this.#answers.stands(id, shape, createdIndex);
  }

  /** APISIX's `createdIndex` of a route that stands as believed: its own write did not tell. */
  created(id: string, createdIndex: number): void {
    this.#answers.created(id, createdIndex);
  }

  /** A request ended without an answer: it may stand as before or as `shape`, until `stands` says which. */
  uncertain(id: string, shape: RouteShape | null): void {
    this.#answers.uncertain(id, shape);
  }

  /** APISIX or the guard refused it, or would: what stood stands, and it does nothing until its next word. */
  refused(id: string): void {
    this.#answers.refused(id);
  }

  /** What was checked would be accepted, as far as can be known. */
  accepted(id: string): void {
    this.#answers.accepted(id);
  }

  /** Answers whether the last word on it still means what its request was decided for: that may have waited for long. */
  meant(id: string): () => boolean {
    return this.#answers.meant(id);
  }

  /** Whether what was granted may be taken still, as far as is known by now: it may have waited for long. */
  isStillFree({ id, pairs }: Grant): boolean {
    const entry = this.#candidates.find(id);
    const word = entry?.sent?.word ?? entry?.word;
    if (entry === undefined || word?.type !== "want") return true;
    return pairs.every((pair) => this.#occupancy.obstacles(entry, word.claim, pair).length === 0);
  }

  /**
   * Nothing was sent for it after all (the breaker opened, or a look found a foreign route on a fresh pair): it is a
   * candidate of the next burst.
   */
  unsent(id: string): void {
    this.#answers.unsent(id);
  }

  /**
   * Every foreign route, as just read. `occupied`: ids under which an object stands that is not ours. No route is written
   * under an id among both; one of ours that stands beside somebody's upstream may still be cut and deleted.
   */
  setForeign(routes: readonly ForeignRoute[], occupied: OccupiedIds = { upstream: [], route: [] }): void {
    const steps = this.hearForeign(routes, occupied);
    while (steps.next().done !== true);
  }

  /** As `setForeign`, in small steps. Rounds wait for the last; words and answers may come in between. */
  *hearForeign(routes: readonly ForeignRoute[], occupied: OccupiedIds): Generator<void> {
    for (const news of this.#occupancy.hearForeign(routes, occupied, this.#waiting.pairs())) {
      if (news?.left !== undefined) this.#candidates.promote([news.left], "next");
      const entry = news?.beside ?? (news?.id === undefined ? undefined : this.#candidates.find(news.id));
      if (entry !== undefined) this.#candidates.enqueue(entry, this.#candidates.withdraw(entry));
      yield;
    }
  }

  /** A look at one id has found that `resource` under it is not ours. */
  occupy(id: string, resource: Resource): void {
    this.#occupancy.occupy(id, resource);
    const entry = this.#candidates.find(id);
    if (entry !== undefined) this.#candidates.enqueue(entry, this.#candidates.withdraw(entry));
  }

  /** Takes everything that waits for a burst into this one. What comes later waits for the next. */
  startBurst(): void {
    this.#candidates.beginBurst();
    this.#candidates.next = this.#burst.begin(this.#candidates.next);
  }

  /** What may be sent now; empty, and without `more`, when the burst has nothing more to do. */
  nextRound(): Round {
    this.#candidates.wakeSome();
    return this.#candidates.isWaking ? { cuts: [], grants: [], more: true } : this.#burst.round();
  }

  /** Whether a burst would have something to decide. */
  get pending(): boolean {
    const isCandidate = this.#candidates.isWaking || this.#candidates.next.size > 0;
    return isCandidate || this.#burst.due.size > 0 || this.#burst.awaiting.size > 0;
  }

  /** Whether a candidate of the next burst wants a pair on which none of ours stands. */
  get takesFresh(): boolean {
    if (this.#candidates.isWaking) return true;
    for (const queue of [this.#candidates.next, this.#burst.due])
      for (const { word } of queue)
        if (word.type === "want" && word.claim.pairs.some((pair) => !this.#occupancy.isOurs(pair)))
          return true;
    return false;
  }

  /** Ids of which anything is remembered. */
  get size(): number {
    return this.#candidates.size;
  }

  outcome(id: string): Outcome {
    const entry = this.#candidates.find(id);
    return entry === undefined ? { state: "none" } : outcomeOf(entry, this.#occupancy);
  }

  /** Whether another route keeps it from a pair, and not only one that is on its way. */
  isKeptOut(id: string): boolean {
    const entry = this.#candidates.find(id);
    return entry !== undefined && isKeptOut(entry, this.#occupancy);
  }

  /** The route that stands on `pair`, as acknowledged or read; where several do, the one with most right to it. */
  holder(pair: Pair): { readonly id: string; readonly foreign: boolean } | undefined {
    return this.#occupancy.holder(pair);
  }

  /** Ids in conflict at `pair`, in the order in which they will be served; the first hundred. */
  waiting(pair: Pair): readonly string[] {
    return this.#waiting.named(pair);
  }

  /** Younger foreign routes on pairs of ours; undefined after each other pair that was looked at. */
  intruders(): Generator<Intruder | undefined> {
    return this.#occupancy.intruders();
  }

  /** The first one beside this route of ours. */
  intruder(id: string): Intruder | undefined {
    const entry = this.#candidates.find(id);
    if (entry === undefined) return undefined;
    for (const pair of entry.standing)
      for (const intruder of this.#occupancy.intrudersOn(entry, pair)) return intruder;
    return undefined;
  }
}
