import type { Body } from "../oracle/ownership.ts";
import type { Collection, ReadItem } from "./knowledge.ts";

interface LastRead {
  /** Undefined: nothing stood. */
  readonly value: Body | undefined;
  /** Looks that began later know better. */
  readonly at: number;
}

/**
 * What one process last read of each object, or had acknowledged. Whose it is goes by that: a look at all counts for this
 * also while a request of the id is open, though it says nothing for certain of what is to stand there.
 */
export class LastReads {
  readonly #reads = new Map<string, LastRead>();

  /** Undefined: nothing stood, or it was never read. */
  of(collection: Collection, id: string): Body | undefined {
    return this.#reads.get(`${collection}/${id}`)?.value;
  }

  heard(collection: Collection, id: string, value: Body | undefined, at: number): void {
    this.#reads.set(`${collection}/${id}`, { value, at });
  }

  /** All of a collection, by a look that began at this time: what was heard since then stays. */
  listed(collection: Collection, items: readonly ReadItem[], startedAt: number): void {
    const found = new Map(items.map(({ id, value }) => [`${collection}/${id}`, value]));
    for (const [key, { at }] of this.#reads)
      if (key.startsWith(`${collection}/`) && at < startedAt)
        this.#reads.set(key, { value: found.get(key), at: startedAt });
    for (const [key, value] of found)
      if (!this.#reads.has(key)) this.#reads.set(key, { value, at: startedAt });
  }
}
