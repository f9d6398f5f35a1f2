import type { ObjectKey } from "./events.ts";

/**
 * The keys of one kind that the stages after this one have been told of, so that a completed list can say which of them
 * are gone. Nested maps: one huge map that grows to the heap's limit aborts the process, nested ones fail cleanly.
 *
 * Each key remembers the last list that had it. A list that fails half-way leaves its keys known: they were passed on.
 */
export class KnownKeys {
  readonly #lists = new Map<string, Map<string, number>>();
  #list = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** From now on, until the next call, what is seen belongs to a new list. */
  beginList(): void {
    this.#list++;
  }

  see({ namespace, name }: ObjectKey): void {
    let names = this.#lists.get(namespace);
    if (names === undefined) this.#lists.set(namespace, (names = new Map()));
    const before = names.size;
    names.set(name, this.#list);
    this.#size += names.size - before;
  }

  drop({ namespace, name }: ObjectKey): void {
    const names = this.#lists.get(namespace);
    if (names === undefined || !names.delete(name)) return;
    this.#size--;
    if (names.size === 0) this.#lists.delete(namespace);
  }

  /** Removes, one at a time, each key that was not seen since `beginList`. Only a *completed* list may ask. */
  *takeUnseen(): Generator<ObjectKey, void, void> {
    for (const [namespace, names] of this.#lists) {
      for (const [name, list] of names) {
        if (list === this.#list) continue;
        const key = { namespace, name };
        this.drop(key);
        yield key;
      }
    }
  }
}
