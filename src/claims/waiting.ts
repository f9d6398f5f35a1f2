import type { Pair } from "../declare/pair.ts";
import type { Entry } from "./entry.ts";
import { PairIndex } from "./pair-index.ts";

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
}
