import type { Pair } from "../declare/pair.ts";
import { compareClaims } from "./age.ts";
import type { Claim } from "./claim.ts";
import type { Entry } from "./entry.ts";
import { PairIndex } from "./pair-index.ts";

/** As many waiting claims of a pair are named at most. */
const namedAtMost = 100;

/** Claims in conflict, by the pairs that they want: they cost nothing until somebody gives one of those up. */
export class Waiting {
  readonly #at = new PairIndex<Entry>();

  add(entry: Entry, pairs: readonly Pair[]): void {
    this.remove(entry);
    entry.waitsOn = pairs;
    for (const pair of pairs) this.#at.add(pair, entry);
  }

  remove(entry: Entry): void {
    for (const pair of entry.waitsOn ?? []) this.#at.delete(pair, entry);
    entry.waitsOn = undefined;
  }

  /** Pairs at which somebody waits. */
  pairs(): Iterable<Pair> {
    return this.#at.pairs();
  }

  count(pair: Pair): number {
    return this.#at.count(pair);
  }

  /** Live: copy it before anybody's wait begins or ends. */
  at(pair: Pair): Iterable<Entry> {
    return this.#at.at(pair);
  }

  /** Ids of those who wait at `pair`, in the order in which they will be served; the first hundred. */
  named(pair: Pair): readonly string[] {
    const claims: Claim[] = [];
    for (const { word } of this.at(pair)) if (word.type === "want") claims.push(word.claim);
    return claims
      .toSorted(compareClaims)
      .slice(0, namedAtMost)
      .map(({ id }) => id);
  }
}
