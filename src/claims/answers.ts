import { pairsOf } from "../declare/pair.ts";
import type { Pair } from "../declare/pair.ts";
import type { Burst } from "./burst.ts";
import type { Candidates } from "./candidates.ts";
import type { RouteShape } from "./claim.ts";
import { isSameClaim, noPairs } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { samePairs } from "./sorted-pairs.ts";

/** What becomes of an id when APISIX answers, or does not: each method as `Claims` says it. */
export class Answers {
  readonly #candidates: Candidates;
  readonly #burst: Burst;

  constructor(candidates: Candidates, burst: Burst) {
    this.#candidates = candidates;
    this.#burst = burst;
  }

  stands(id: string, shape: RouteShape | null, createdIndex?: number): void {
    const entry = shape === null ? this.#candidates.find(id) : this.#candidates.findOrAdd(id);
    if (entry === undefined) return;
    const pairs = shape === null ? noPairs : wantedIfSame(entry, pairsOf(shape.hosts, shape.uris));
    const index = createdIndex ?? (entry.shape === null ? undefined : entry.createdIndex);
    const isNews = entry.sent !== undefined || entry.unsure !== undefined || index !== entry.createdIndex;
    const isSame = (shape === null) === (entry.shape === null) && samePairs(pairs, entry.standing);
    entry.shape = shape;
    entry.createdIndex = shape === null ? undefined : index;
    if (isSame && !isNews) return;
    const turn = this.#candidates.withdraw(entry);
    const sent = this.#burst.over(entry);
    entry.unsure = undefined;
    if (entry.waitsForWord === "unanswered") entry.waitsForWord = "no";
    const isAnswer = sent !== undefined && sent.word === entry.word;
    if (isAnswer && sent.type === "grant") entry.dirty = false;
    const own = isAnswer && sent.type === "cut" ? "burst" : turn;
    this.#candidates.settle(
      entry,
      isSame ? entry.standing : pairs,
      own,
      sent === undefined ? "next" : "burst",
    );
  }

  created(id: string, createdIndex: number): void {
    const entry = this.#candidates.find(id);
    if (entry === undefined || entry.shape === null || entry.createdIndex === createdIndex) return;
    const turn = this.#candidates.withdraw(entry);
    entry.createdIndex = createdIndex;
    this.#candidates.settle(entry, entry.standing, turn, turn);
  }

  uncertain(id: string, shape: RouteShape | null): void {
    const entry = this.#candidates.findOrAdd(id);
    const turn = this.#candidates.withdraw(entry);
    const sent = this.#burst.over(entry);
    const attempted = shape === null ? [] : pairsOf(shape.hosts, shape.uris);
    entry.unsure = [...new Set([...(entry.unsure ?? []), ...attempted, ...(sent?.pairs ?? [])])];
    if (sent === undefined || sent.word === entry.word) entry.waitsForWord = "unanswered";
    this.#candidates.settle(entry, entry.standing, turn, "burst");
  }

  refused(id: string): void {
    const entry = this.#candidates.find(id);
    if (entry === undefined) return;
    const turn = this.#candidates.withdraw(entry);
    const sent = this.#burst.over(entry);
    // Where a look has ended the request meanwhile, it may have been decided for an older word: what waits for another
    // one then would wait for ever.
    if (sent !== undefined && sent.word === entry.word) entry.waitsForWord = "refused";
    entry.accepted = undefined;
    this.#candidates.settle(entry, entry.standing, turn, "burst");
  }

  accepted(id: string): void {
    const entry = this.#candidates.find(id);
    if (entry === undefined) return;
    const turn = this.#candidates.withdraw(entry);
    const sent = this.#burst.over(entry);
    if (sent?.type === "check") entry.accepted = sent.word;
    this.#candidates.settle(entry, entry.standing, turn, "burst");
  }

  meant(id: string): () => boolean {
    const decided = this.#candidates.find(id)?.sent?.word;
    return () => {
      const word = this.#candidates.find(id)?.word;
      if (decided === undefined || word === undefined) return false;
      if (word === decided || (word.type === "leave" && decided.type === "leave")) return true;
      return word.type === "want" && isSameClaim(decided, word.claim);
    };
  }

  unsent(id: string): void {
    const entry = this.#candidates.find(id);
    if (entry === undefined) return;
    this.#candidates.withdraw(entry);
    this.#burst.over(entry);
    this.#candidates.settle(entry, entry.standing, "next", "next");
  }
}

/** What is wanted stands: kept once. */
function wantedIfSame({ word }: Entry, pairs: readonly Pair[]): readonly Pair[] {
  return word.type === "want" && samePairs(word.claim.pairs, pairs) ? word.claim.pairs : pairs;
}
