import { isJsonObject } from "./json-object.ts";
import { digestLabel } from "./labels.ts";
import { idOfKey, type Collection } from "./resource-path.ts";
import type { Json, JsonObject } from "./types.ts";

/** What was made up for one id. */
interface Pretended {
  /** JSON text; null: deleted. */
  readonly body: string | null;
  /** Of the real object that it stands in for, `modifiedIndex`; null: there is none; undefined: no list has shown it yet. */
  base: number | null | undefined;
  readonly sequence: number;
}

/**
 * A made-up route was granted because no other route stood on its pairs: it is older than whatever comes to stand there
 * in reality.
 */
const createdIndex = 1;

/**
 * What APISIX would hold, had it been written to: kept where it differs from what it really holds, so at most one body
 * for each object of ours.
 *
 * What really happens goes before what is made up: an entry ends when a list shows that the real object has changed
 * since, has gone, or has become equal to it (somebody else leads).
 */
export class ShadowState {
  readonly #entries: Readonly<Record<Collection, Map<string, Pretended>>> = {
    routes: new Map(),
    upstreams: new Map(),
    services: new Map(),
  };
  #sequence = 0;

  get size(): number {
    return Object.values(this.#entries).reduce((all, entries) => all + entries.size, 0);
  }

  /** `body`: JSON text of an object; null: it is deleted. */
  write(collection: Collection, id: string, body: string | null): void {
    const entries = this.#entries[collection];
    entries.set(id, { body, base: entries.get(id)?.base, sequence: ++this.#sequence });
  }

  /** The item that stands there; null: none does; undefined: nothing was made up. */
  read(collection: Collection, id: string): JsonObject | null | undefined {
    const entry = this.#entries[collection].get(id);
    if (entry === undefined) return undefined;
    return entry.body === null ? null : itemOf(collection, id, entry.body);
  }

  /** Undefined: nothing was made up in this collection. */
  overlay(collection: Collection): ListOverlay | undefined {
    const entries = this.#entries[collection];
    return entries.size === 0 ? undefined : new ListOverlay(collection, entries, this.#sequence);
  }
}

/**
 * One list as it would be. As with a real list, what is written meanwhile may be in it or not: of what was made up after
 * it began nobody knows whether its real object has been passed already.
 */
export class ListOverlay {
  readonly #collection: Collection;
  readonly #entries: Map<string, Pretended>;
  readonly #until: number;
  readonly #seen = new Set<string>();

  constructor(collection: Collection, entries: Map<string, Pretended>, until: number) {
    this.#collection = collection;
    this.#entries = entries;
    this.#until = until;
  }

  /** What stands in the place of a real item; undefined: nothing does. */
  inPlaceOf(item: JsonObject): JsonObject | undefined {
    const { key, modifiedIndex, value } = item;
    const id = idOfKey(key, this.#collection) ?? "";
    const entry = this.#entries.get(id);
    if (entry === undefined || typeof modifiedIndex !== "number") return item;
    this.#seen.add(id);
    if (entry.base === undefined) entry.base = modifiedIndex;
    const made = entry.body === null ? undefined : parse(entry.body);
    if (entry.base !== modifiedIndex || (made !== undefined && digestIn(made) === digestIn(value))) {
      this.#entries.delete(id);
      return item;
    }
    return made === undefined ? undefined : { ...item, value: { ...made, id } };
  }

  /** After the last real item: what stands besides. */
  *rest(): Generator<JsonObject> {
    for (const [id, entry] of this.#entries) {
      const isNew = entry.base === undefined && entry.sequence > this.#until;
      if (isNew || this.#seen.has(id)) continue;
      if (entry.base === undefined) entry.base = null;
      if (entry.base === null && entry.body !== null) yield itemOf(this.#collection, id, entry.body);
      else this.#entries.delete(id);
    }
  }
}

function itemOf(collection: Collection, id: string, body: string): JsonObject {
  const value = { ...parse(body), id };
  return { key: `/apisix/${collection}/${id}`, value, createdIndex, modifiedIndex: createdIndex };
}

/** Our own body: an object. */
const parse = (body: string): JsonObject => JSON.parse(body) as JsonObject;

function digestIn(value: Json | undefined): Json | undefined {
  const labels = isJsonObject(value) ? value["labels"] : undefined;
  return isJsonObject(labels) ? labels[digestLabel] : undefined;
}
