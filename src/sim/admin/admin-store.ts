/**
 * What stands in APISIX's etcd: objects with revisions, and who refers to whom. No validation, no HTTP, no clock of its own.
 *
 * Guarantees: synchronous; revisions only grow, one for each write; a listener hears each change after it was made.
 */
import type { Clock } from "../../runtime.ts";
import type { JsonObject } from "./json-schema.ts";
import { ReferenceIndex } from "./reference-index.ts";

export interface AdminEntry {
  /** `routes`, `upstreams`, …; a consumer's credentials are in `consumers/NAME/credentials`. */
  readonly collection: string;
  readonly id: string;
  /** As in etcd: `/apisix/routes/ID`. */
  readonly key: string;
  /** As stored; never to be mutated. */
  readonly value: JsonObject;
  /** `value` as the API shows it, serialised once. */
  readonly json: string;
  readonly createdIndex: number;
  readonly modifiedIndex: number;
}

export interface AdminChange {
  readonly collection: string;
  readonly id: string;
  readonly before: AdminEntry | undefined;
  readonly after: AdminEntry | undefined;
  /** The store's revision after the change. */
  readonly revision: number;
}

/** A fresh APISIX has written this often for itself before the first object; what a recording of one shows. */
const firstRevision = 19;

export class AdminStore {
  readonly references: ReferenceIndex;
  readonly #clock: Clock;
  readonly #collections = new Map<string, Map<string, AdminEntry>>();
  readonly #sorted = new Map<string, readonly AdminEntry[]>();
  readonly #expiries = new Map<AdminEntry, number>();
  readonly #listeners = new Set<(change: AdminChange) => void>();
  #revision = firstRevision;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.references = new ReferenceIndex(clock);
  }

  get revision(): number {
    return this.#revision;
  }

  get(collection: string, id: string): AdminEntry | undefined {
    this.#expire();
    return this.#collections.get(collection)?.get(id);
  }

  /** In order of keys. The array is shared: it must not be changed. */
  list(collection: string): readonly AdminEntry[] {
    this.#expire();
    let entries = this.#sorted.get(collection);
    if (entries === undefined) {
      entries = [...(this.#collections.get(collection)?.values() ?? [])].toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      );
      this.#sorted.set(collection, entries);
    }
    return entries;
  }

  size(collection: string): number {
    this.#expire();
    return this.#collections.get(collection)?.size ?? 0;
  }

  /**
   * @param json `value` as a GET shows it.
   * @param ttl Seconds until the object vanishes by itself.
   */
  put(collection: string, id: string, value: JsonObject, json: string, ttl?: number): AdminEntry {
    let entries = this.#collections.get(collection);
    if (entries === undefined) this.#collections.set(collection, (entries = new Map()));
    const before = this.get(collection, id);
    this.#revision += 1;
    const after: AdminEntry = {
      collection,
      id,
      key: `/apisix/${collection}/${id}`,
      value,
      json,
      createdIndex: before?.createdIndex ?? this.#revision,
      modifiedIndex: this.#revision,
    };
    entries.set(id, after);
    if (ttl !== undefined) this.#expiries.set(after, this.#clock.now() + ttl * 1000);
    this.#changed(before, after);
    return after;
  }

  /** @returns What was deleted, if anything was there. */
  delete(collection: string, id: string): AdminEntry | undefined {
    this.#expire();
    return this.#remove(collection, id);
  }

  /** POST takes two revisions: one to find its id, one to write it. */
  nextPostId(): string {
    this.#revision += 1;
    return String(this.#revision).padStart(20, "0");
  }

  /** Hears each change, also by expiry. @returns Stops it. */
  onChange(listener: (change: AdminChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #remove(collection: string, id: string): AdminEntry | undefined {
    const before = this.#collections.get(collection)?.get(id);
    if (before === undefined) return undefined;
    this.#collections.get(collection)?.delete(id);
    this.#revision += 1;
    this.#changed(before, undefined);
    return before;
  }

  #expire(): void {
    if (this.#expiries.size === 0) return;
    const now = this.#clock.now();
    for (const [entry, at] of this.#expiries) {
      if (at > now) continue;
      this.#expiries.delete(entry);
      if (this.#collections.get(entry.collection)?.get(entry.id) === entry)
        this.#remove(entry.collection, entry.id);
    }
  }

  #changed(before: AdminEntry | undefined, after: AdminEntry | undefined): void {
    const entry = after ?? before;
    if (entry === undefined) return;
    const { collection, id } = entry;
    this.#sorted.delete(collection);
    this.references.replace(collection, id, before?.value, after?.value);
    for (const listener of this.#listeners)
      listener({ collection, id, before, after, revision: this.#revision });
  }
}
