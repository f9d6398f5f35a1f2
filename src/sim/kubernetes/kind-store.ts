import type { KubeObject, ObjectKey } from "./kube-object.ts";
import type { ResourceName } from "./resources.ts";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** One write. `object` of a deletion is the last state, carrying the deletion's own resourceVersion. */
export interface StoreEvent {
  readonly type: ChangeType;
  readonly resource: ResourceName;
  readonly key: ObjectKey;
  readonly revision: number;
  readonly object: KubeObject;
  /** The state before; absent for ADDED. */
  readonly previous?: KubeObject;
}

/** Page snapshots that are kept sorted, so that the pages of one list do not sort again. */
const keptSnapshots = 4;

/**
 * Objects of one kind and the newest `historyLength` events. Any state since the oldest kept event can be told again,
 * by undoing events: what pages of one list and resumed watches need.
 */
export class KindStore {
  readonly #historyLength: number;
  #objects = new Map<ObjectKey, KubeObject>();
  #history: StoreEvent[] = [];
  #snapshots = new Map<number, readonly KubeObject[]>();
  #forgottenUpTo: number;
  #lastRevision: number;

  constructor(historyLength: number, revision: number) {
    this.#historyLength = historyLength;
    this.#forgottenUpTo = revision;
    this.#lastRevision = revision;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<KubeObject> {
    return this.#objects.values();
  }

  record(event: StoreEvent): void {
    if (event.type === "DELETED") this.#objects.delete(event.key);
    else this.#objects.set(event.key, event.object);
    this.#history.push(event);
    this.#lastRevision = event.revision;
    // Twice the length before cutting: one copy per `historyLength` events instead of one per event.
    if (this.#history.length >= this.#historyLength * 2)
      this.#forgetBefore(this.#history.length - this.#historyLength);
  }

  /** Events after `revision`, or undefined where some of them are forgotten (410 Expired). */
  since(revision: number): readonly StoreEvent[] | undefined {
    if (revision < this.#oldestTold()) return undefined;
    return this.#history.slice(this.#indexAfter(revision));
  }

  /** All objects in key order as they stood at `revision`, or undefined where that is forgotten (410 Expired). */
  at(revision: number): readonly KubeObject[] | undefined {
    if (revision < this.#oldestTold()) return undefined;
    const effective = Math.min(revision, this.#lastRevision);
    const known = this.#snapshots.get(effective);
    if (known !== undefined) return known;
    const objects = new Map(this.#objects);
    for (let index = this.#history.length - 1; index >= 0; index -= 1) {
      const event = this.#history[index];
      if (event === undefined || event.revision <= effective) break;
      if (event.previous === undefined) objects.delete(event.key);
      else objects.set(event.key, event.previous);
    }
    const sorted = [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    this.#remember(effective, sorted);
    return sorted;
  }

  /** Forgets every event: only the newest state can be told. */
  compact(revision: number): void {
    this.#history = [];
    this.#snapshots.clear();
    this.#forgottenUpTo = revision;
    this.#lastRevision = Math.max(this.#lastRevision, revision);
  }

  /** Takes another content; nothing before `revision` can be told. */
  reset(objects: Iterable<readonly [ObjectKey, KubeObject]>, revision: number): void {
    this.#objects = new Map(objects);
    this.#lastRevision = revision;
    this.compact(revision);
  }

  entries(): IterableIterator<[ObjectKey, KubeObject]> {
    return this.#objects.entries();
  }

  #oldestTold(): number {
    const extra = this.#history.length - this.#historyLength;
    return extra > 0 ? (this.#history[extra - 1]?.revision ?? this.#forgottenUpTo) : this.#forgottenUpTo;
  }

  #forgetBefore(index: number): void {
    this.#forgottenUpTo = this.#history[index - 1]?.revision ?? this.#forgottenUpTo;
    this.#history = this.#history.slice(index);
  }

  #indexAfter(revision: number): number {
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #remember(revision: number, sorted: readonly KubeObject[]): void {
    this.#snapshots.set(revision, sorted);
    for (const old of this.#snapshots.keys()) {
      if (this.#snapshots.size <= keptSnapshots) break;
      this.#snapshots.delete(old);
    }
  }
}
