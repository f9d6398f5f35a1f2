import type { Identity } from "../apisix/types.ts";
import { pairHost, pairUri, pairsOf } from "../declare/pair.ts";
import type { Pair } from "../declare/pair.ts";
import { compareAge } from "./age.ts";
import type { Claim, RouteShape } from "./claim.ts";
import { hasPair, samePairs } from "./sorted-pairs.ts";

/** The last word on an id. */
export type Word =
  /** Unknown or held: keeps what stands, wants nothing, yields nothing. */
  | { readonly type: "keep" }
  | { readonly type: "want"; readonly claim: Claim }
  /** Nothing declares it. `grace`: while it lasts, its pairs go to its kin only. */
  | { readonly type: "leave"; readonly grace: Grace | undefined };

interface Grace {
  /** Whose route it was. */
  readonly identity: Identity;
  /** Where it stood when its object went: what somebody has put it on since is not kept for it. */
  readonly pairs: readonly Pair[];
}

/** A request that has not been answered yet. */
export interface Sent {
  readonly type: "grant" | "cut" | "check";
  readonly word: Word;
  /** What a grant may come to stand on. */
  readonly pairs: readonly Pair[];
}

/** All that is known of one id. */
export interface Entry {
  readonly id: string;
  word: Word;
  /** Content may differ from what stands, though the pairs be equal. */
  dirty: boolean;
  blocked: boolean;
  /** It is not cut for another's sake. */
  isFixed: boolean;
  /** Its last request was refused, or ended without an answer: it waits for a new word. */
  waitsForWord: "no" | "refused" | "unanswered";
  /** The word for which APISIX accepts the body, as a check has found. */
  accepted: Word | undefined;
  /** Null: no route stands. */
  shape: RouteShape | null;
  /** The pairs of `shape`. */
  standing: readonly Pair[];
  /** Where it may stand besides; always `possiblePairs` of it. */
  possible: readonly Pair[];
  /** Pairs of attempts that ended without an answer; undefined where what stands is certain. */
  unsure: readonly Pair[] | undefined;
  createdIndex: number | undefined;
  sent: Sent | undefined;
  /** Its claim is in conflict and waits at these pairs. */
  waitsOn: readonly Pair[] | undefined;
}

export const keep: Word = { type: "keep" };
export const gone: Word = { type: "leave", grace: undefined };

export const noPairs: readonly Pair[] = [];

export function newEntry(id: string): Entry {
  return {
    id,
    word: keep,
    dirty: false,
    blocked: false,
    isFixed: false,
    waitsForWord: "no",
    accepted: undefined,
    shape: null,
    standing: noPairs,
    possible: noPairs,
    unsure: undefined,
    createdIndex: undefined,
    sent: undefined,
    waitsOn: undefined,
  };
}

export function mayStand(entry: Entry): boolean {
  return entry.shape !== null || entry.unsure !== undefined || entry.sent !== undefined;
}

/** Where it may stand besides what stands for certain: attempts without answer, and a grant that is sent. */
export function possiblePairs(entry: Entry): readonly Pair[] {
  if (entry.unsure === undefined) return entry.sent?.pairs ?? noPairs;
  return entry.sent === undefined ? entry.unsure : [...new Set([...entry.unsure, ...entry.sent.pairs])];
}

/** Whether a burst may do something with it at all. */
export function isFree(entry: Entry): boolean {
  return !entry.blocked && entry.waitsForWord === "no" && entry.word.type !== "keep";
}

/** Whether others may have to make way for it: what stands must be certain too. */
export function hasSay(entry: Entry): boolean {
  return isFree(entry) && entry.unsure === undefined;
}

/** Whether it may be taken off pairs for another's sake. */
export function isMovable(entry: Entry): boolean {
  return hasSay(entry) && !entry.isFixed;
}

export function wants(entry: Entry, pair: Pair): boolean {
  return entry.word.type === "want" && hasPair(entry.word.claim.pairs, pair);
}

/** How good a reason `entry` has to stand on `pair`; more is better. */
export function rightTo(entry: Entry, pair: Pair): number {
  const { word } = entry;
  if (word.type === "want") return wants(entry, pair) ? 4 : 2;
  if (word.type === "keep" || word.grace === undefined) return 0;
  return hasPair(word.grace.pairs, pair) ? 3 : 1;
}

/** Whether what is wanted is what stands. */
export function isSatisfied(entry: Entry): boolean {
  return (
    entry.word.type === "want" &&
    !entry.dirty &&
    entry.shape !== null &&
    samePairs(entry.word.claim.pairs, entry.standing)
  );
}

/** Whether `entry` gives up `pair`, on which it stands, to `claim`. */
export function yieldsTo(entry: Entry, pair: Pair, claim: Claim): boolean {
  if (!isMovable(entry)) return false;
  if (entry.word.type === "leave")
    return entry.word.grace === undefined || areKin(entry.word.grace.identity, claim.identity);
  return !wants(entry, pair);
}

/** Whether a challenger need not wait out the grace of a leaving route (PRODUCT.md, "Leaving"). */
function areKin(leaving: Identity, challenger: Identity): boolean {
  if (leaving.namespace !== challenger.namespace) return false;
  return leaving.share === "fleet" || challenger.share === "fleet" || leaving.cluster === challenger.cluster;
}

/** What stands, cut to the hosts and uris that are still wanted; undefined where nothing would be left. */
export function narrowed(entry: Entry): RouteShape | undefined {
  if (entry.word.type !== "want" || entry.shape === null) return undefined;
  const wantedHosts = new Set(entry.word.claim.pairs.map(pairHost));
  const wantedUris = new Set(entry.word.claim.pairs.map(pairUri));
  const hosts = entry.shape.hosts.filter((host) => wantedHosts.has(host));
  const uris = entry.shape.uris.filter((uri) => wantedUris.has(uri));
  const left = pairsOf(hosts, uris);
  return left.length > 0 && left.every((pair) => wants(entry, pair)) ? { hosts, uris } : undefined;
}

/** Whether the word asks for the same as this claim, whatever its content. */
export function isSameClaim(word: Word, claim: Claim): boolean {
  return (
    word.type === "want" &&
    word.claim.inherits === claim.inherits &&
    compareAge(word.claim.age, claim.age) === 0 &&
    samePairs(word.claim.pairs, claim.pairs)
  );
}
