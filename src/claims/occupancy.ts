import type { Resource } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import { compareClaims } from "./age.ts";
import type { Blocker, Claim, ForeignRoute, Intruder } from "./claim.ts";
import { hasSay, isMovable, noPairs, possiblePairs, rightTo, wants, yieldsTo } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { ForeignRoutes } from "./foreign-routes.ts";
import { PairIndex } from "./pair-index.ts";

/**
 * What keeps a claim from a pair; `yields` is the route of ours that gives the pair up for it. `isSent`: it does not stand
 * there, but a request that would make it stand is on its way. `isStuck`: it wants the pair no more, and stays for APISIX refuses
 * what it wants.
 */
export interface Obstacle extends Blocker {
  readonly yields?: Entry;
  readonly isSent?: boolean;
  readonly isStuck?: boolean;
}

/** Ids under which an object stands that is not ours, by what it is. */
export type OccupiedIds = Readonly<Record<Resource, Iterable<string>>>;

/** What other foreign routes mean for somebody. */
export interface ForeignNews {
  readonly left?: Pair;
  readonly beside?: Entry;
  readonly id?: string;
}

const nothing: readonly Obstacle[] = [];

/** Which routes stand, or may stand, on which pair. */
export class Occupancy {
  readonly #standing = new PairIndex<Entry>();
  readonly #possible = new PairIndex<Entry>();
  readonly #unfold: number | undefined;
  #foreign = new ForeignRoutes();
  #occupied: Readonly<Record<Resource, Set<string>>> = { upstream: new Set(), route: new Set() };

  /** `unfold`: foreign routes with at most so many pairs are found by each of them. */
  constructor(unfold?: number) {
    this.#unfold = unfold;
  }

  /** Moves `entry` to what it stands on now, and may stand on besides; returns the pairs that it left for good. */
  place(entry: Entry, standing: readonly Pair[]): readonly Pair[] {
    const { standing: stood, possible: mayHaveStood } = entry;
    const possible = possiblePairs(entry);
    if (standing === stood && possible === mayHaveStood) return noPairs;
    entry.standing = standing;
    entry.possible = possible;
    move(this.#standing, entry, stood, standing);
    move(this.#possible, entry, mayHaveStood, possible);
    const hasLeft = (pair: Pair): boolean =>
      !this.#standing.has(pair, entry) && !this.#possible.has(pair, entry);
    const left = stood.filter(hasLeft);
    return mayHaveStood.length === 0 ? left : [...left, ...mayHaveStood.filter(hasLeft)];
  }

  /**
   * Replaces the foreign routes, in steps: all of them at once, in one of the last. Tells each of `pairs` that one of them
   * left (`left`), each of ours that stands beside one now (`beside`), and each id that is or was theirs (`id`).
   */
  *hearForeign(
    routes: readonly ForeignRoute[],
    occupied: OccupiedIds,
    pairs: Iterable<Pair>,
  ): Generator<ForeignNews | undefined> {
    const now = new ForeignRoutes(this.#unfold);
    for (const route of routes) {
      now.add(route);
      yield;
    }
    const before = this.#foreign;
    const occupiedBefore = this.#occupied;
    this.#foreign = now;
    this.#occupied = { upstream: new Set(occupied.upstream), route: new Set(occupied.route) };
    const stands = (pair: Pair, id: string): boolean => now.at(pair).some((route) => route.id === id);
    for (const pair of pairs) {
      const isLeft = before.at(pair).some(({ id }) => !stands(pair, id));
      yield isLeft ? { left: pair } : undefined;
    }
    for (const pair of now.beside(this.#standing)) {
      if (pair === undefined) yield;
      else for (const entry of this.#standing.at(pair)) yield { beside: entry };
    }
    for (const id of idsOf(occupiedBefore, before)) yield { id };
    for (const id of idsOf(this.#occupied, now)) yield { id };
  }

  /** A look at one id has found there what is not ours. */
  occupy(id: string, resource: Resource): void {
    this.#occupied[resource].add(id);
  }

  /** A route or an upstream stands there that is not ours: no route is written there, for it would refer to that upstream. */
  isOccupied(id: string): boolean {
    return this.#occupied.upstream.has(id) || this.isStrangers(id);
  }

  /** The route that stands there is not ours: it is neither cut nor deleted. */
  isStrangers(id: string): boolean {
    return this.#occupied.route.has(id) || this.#foreign.has(id);
  }

  standsOn(entry: Entry, pair: Pair): boolean {
    return this.#standing.has(pair, entry);
  }

  /** Whether a route of ours stands there. */
  isOurs(pair: Pair): boolean {
    return this.#standing.count(pair) > 0;
  }

  /** Other routes of ours that stand on `pair` as well. */
  *others(entry: Entry, pair: Pair): Generator<Entry> {
    for (const other of this.#standing.at(pair)) if (other !== entry) yield other;
  }

  /**
   * Who keeps `claim` from `pair`. A pair on which it stands already need not be free of others: writing there takes
   * nothing, unless another has more right to it.
   */
  obstacles(entry: Entry, claim: Claim, pair: Pair): readonly Obstacle[] {
    if (this.#isEmpty(pair)) return nothing;
    // What may have been taken down meanwhile is taken anew.
    if (this.#standing.has(pair, entry) && entry.unsure === undefined) {
      const rival = this.rival(entry, pair);
      return rival === undefined ? nothing : [rival];
    }
    const found: Obstacle[] = [];
    const add = (other: Entry): void => {
      if (other === entry) return;
      const isSent = !this.#standing.has(pair, other) && other.unsure?.includes(pair) !== true;
      const isStuck = other.waitsForWord === "refused" && other.word.type === "want" && !wants(other, pair);
      const obstacle = { pair, by: other.id, foreign: false, isSent, isStuck };
      const yields = yieldsTo(other, pair, claim) && !this.isStrangers(other.id);
      found.push(yields ? { ...obstacle, yields: other } : obstacle);
    };
    for (const other of this.#standing.at(pair)) add(other);
    for (const other of this.#possible.at(pair)) if (!this.#standing.has(pair, other)) add(other);
    for (const route of this.#foreign.at(pair)) found.push({ pair, by: route.id, foreign: true });
    return found;
  }

  /**
   * Who has more right to `pair`, on which `entry` stands: a foreign route with a lower `createdIndex` (one of ours
   * whose index is unknown is not judged), or another of ours.
   */
  rival(entry: Entry, pair: Pair): Blocker | undefined {
    const { createdIndex } = entry;
    if (createdIndex !== undefined)
      for (const route of this.#foreign.at(pair))
        if (route.createdIndex < createdIndex) return { pair, by: route.id, foreign: true };
    if (this.#standing.count(pair) > 1)
      for (const other of this.others(entry, pair))
        if (outranks(other, entry, pair)) return { pair, by: other.id, foreign: false };
    return undefined;
  }

  /** Why `entry` has to step back from a pair on which it stands; prefers a reason that takes it off wanted pairs. */
  stepsBack(entry: Entry): Blocker | undefined {
    if (!isMovable(entry) || this.isStrangers(entry.id)) return undefined;
    let found: Blocker | undefined;
    for (const pair of entry.standing) {
      const rival = this.rival(entry, pair);
      if (rival !== undefined && (found === undefined || wants(entry, pair))) found = rival;
    }
    return found;
  }

  #isEmpty(pair: Pair): boolean {
    return (
      this.#standing.count(pair) === 0 && this.#possible.count(pair) === 0 && this.#foreign.isEmpty(pair)
    );
  }

  holder(pair: Pair): { readonly id: string; readonly foreign: boolean } | undefined {
    let ours: Entry | undefined;
    for (const entry of this.#standing.at(pair))
      if (ours === undefined || outranks(entry, ours, pair)) ours = entry;
    const rival = ours === undefined ? undefined : this.rival(ours, pair);
    if (ours !== undefined && rival?.foreign !== true) return { id: ours.id, foreign: false };
    let oldest: ForeignRoute | undefined;
    for (const route of this.#foreign.at(pair))
      if (oldest === undefined || route.createdIndex < oldest.createdIndex) oldest = route;
    return oldest && { id: oldest.id, foreign: true };
  }

  /** Younger foreign routes where one of ours stands; undefined after each pair that was looked at. */
  *intruders(): Generator<Intruder | undefined> {
    for (const pair of this.#foreign.beside(this.#standing)) {
      if (pair !== undefined)
        for (const entry of this.#standing.at(pair)) yield* this.intrudersOn(entry, pair);
      yield;
    }
  }

  *intrudersOn({ id, createdIndex }: Entry, pair: Pair): Generator<Intruder> {
    if (createdIndex === undefined) return;
    for (const route of this.#foreign.at(pair))
      if (createdIndex < route.createdIndex) yield { pair, foreign: route.id, ours: id };
  }
}

function* idsOf(
  occupied: Readonly<Record<Resource, Set<string>>>,
  foreign: ForeignRoutes,
): Generator<string> {
  yield* occupied.upstream;
  yield* occupied.route;
  yield* foreign.ids();
}

function move(index: PairIndex<Entry>, entry: Entry, from: readonly Pair[], to: readonly Pair[]): void {
  if (from === to) return;
  for (const pair of from) index.delete(pair, entry);
  for (const pair of to) index.add(pair, entry);
}

/**
 * Of two of ours that stand on one pair, which a dead leader's last request or a human's edit brings about: first who wants
 * the pair, in the order of claims; then a route that leaves and had the pair, while its grace lasts; then who wants other
 * pairs; then a route that leaves and was put there meanwhile. What is held has not said yet what it wants: nobody steps back
 * for it.
 */
function outranks(other: Entry, entry: Entry, pair: Pair): boolean {
  if (!hasSay(other)) return false;
  const byRight = rightTo(other, pair) - rightTo(entry, pair);
  if (byRight !== 0) return byRight > 0;
  if (other.word.type === "want" && entry.word.type === "want")
    return compareClaims(other.word.claim, entry.word.claim) < 0;
  return other.id < entry.id;
}
