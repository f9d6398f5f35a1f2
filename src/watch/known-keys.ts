import type { ObjectKey } from "./events.ts";

interface Known {
  /** Namespace → name → the last list that had it. */
  readonly namespaces: Map<string, Map<string, number>>;
  lists: number;
  size: number;
}

/**
 * The keys of one kind that the stages after this one have been told of, so that a completed list can say which of them
 * are gone. Nested maps: one huge map that grows to the heap's limit aborts the process, nested ones fail cleanly.
 *
 * Each key remembers the last list that had it. A list that fails half-way leaves its keys known: they were passed on.
 */
export class KnownKeys {
  readonly #known: Known;
  /** Of which this one speaks; undefined: of all. */
  readonly #namespace: string | undefined;
  #list = 0;

  constructor(known: Known = { namespaces: new Map(), lists: 0, size: 0 }, namespace?: string) {
    this.#known = known;
    this.#namespace = namespace;
  }

  /** The same keys, seen by whoever lists this namespace alone; `undefined`: all of them. */
  within(namespace: string | undefined): KnownKeys {
    return new KnownKeys(this.#known, namespace);
  }

  get size(): number {
    const { namespaces, size } = this.#known;
    return this.#namespace === undefined ? size : (namespaces.get(this.#namespace)?.size ?? 0);
  }

  /** Number of the list that what is seen now belongs to; none of one kind comes twice. */
  get list(): number {
    return this.#list;
  }

  /** From now on, until the next call, what is seen belongs to a new list. */
  beginList(): void {
    this.#list = ++this.#known.lists;
  }

  see({ namespace, name }: ObjectKey): void {
    const { namespaces } = this.#known;
    let names = namespaces.get(namespace);
    if (names === undefined) namespaces.set(namespace, (names = new Map()));
    const before = names.size;
    names.set(name, this.#list);
    this.#known.size += names.size - before;
  }

  drop({ namespace, name }: ObjectKey): void {
    const { namespaces } = this.#known;
    const names = namespaces.get(namespace);
    if (names === undefined || !names.delete(name)) return;
    this.#known.size--;
    if (names.size === 0) namespaces.delete(namespace);
  }

  /** Removes, one at a time, each key that was not seen since `beginList`. Only a *completed* list may ask. */
  *takeUnseen(): Generator<ObjectKey, void, void> {
    for (const [namespace, names] of this.#known.namespaces) {
      if (this.#namespace !== undefined && namespace !== this.#namespace) continue;
      for (const [name, list] of names) {
        if (list >= this.#list) continue;
        const key = { namespace, name };
        this.drop(key);
        yield key;
      }
    }
  }
}
