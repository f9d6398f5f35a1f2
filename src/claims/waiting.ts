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

  /** Ends the wait of everyone at `pair`, but for `except`, and returns them. */
  take(pair: Pair, except?: Entry): Entry[] {
    const taken = [...this.#at.at(pair)].filter((entry) => entry !== except);
    for (const entry of taken) this.remove(entry);
    return taken;
  }

  at(pair: Pair): Iterable<Entry> {
    return this.#at.at(pair);
  }

  count(pair: Pair): number {
    return this.#at.count(pair);
  }
}
