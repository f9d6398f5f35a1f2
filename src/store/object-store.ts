import type { Fingerprint } from "../protobuf/fingerprint.ts";
import type { Kind } from "../watch/events.ts";
import type { Packed } from "./projection.ts";

/** Which object, fleet-wide. `namespace` is `""` for kinds without namespaces. */
export interface StoreKey {
  readonly cluster: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

export interface StoredObject {
  readonly namespace: string;
  readonly name: string;
  readonly packed: Packed;
}

/** What the object last came with. */
export interface Marks {
  /** Undefined: none is known. */
  readonly stamp: Fingerprint | undefined;
  readonly fingerprint: Fingerprint | undefined;
}

/**
 * The packed projection, and behind it the marks of the bytes that it was read from: an array of their own would cost ten
 * times their bytes.
 */
type Entry = Uint8Array<ArrayBuffer>;
type Names = Map<string, Entry>;
type Namespaces = Map<string, Names>;

/** What stands where none is known: no fingerprint is both 0. */
const unknown: Fingerprint = { low: 0, high: 0 };
const noMarks: Marks = { stamp: undefined, fingerprint: undefined };
const markBytes = 16;
const placeOf = { stamp: 16, fingerprint: 8 } as const;

/**
 * The packed projection of every object that was kept: what the filter compares with, and what a new shard is seeded
 * from. With each the marks that it last came with, so that what is the same need not be read again. Nested maps, because one huge map that grows to the heap's limit aborts the whole process. One writer: the filter.
 */
export class ObjectStore {
  readonly #clusters = new Map<string, Map<Kind, Namespaces>>();
  #bytes = 0;

  /** Bytes of all projections with their marks, without the maps around them. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: StoreKey): Packed | undefined {
    const entry = this.#entry(key);
    return entry && packedOf(entry);
  }

  /** Whether the object, as it last came and led to what is held, had this mark. */
  isMarked(key: StoreKey, mark: keyof Marks, { low, high }: Fingerprint): boolean {
    const entry = this.#entry(key);
    if (entry === undefined) return false;
    const at = entry.length - placeOf[mark];
    return wordAt(entry, at) === low && wordAt(entry, at + 4) === high;
  }

  put({ cluster, kind, namespace, name }: StoreKey, packed: Packed, marks = noMarks): void {
    const kinds = child(this.#clusters, cluster);
    const names = child(child(kinds, kind), namespace);
    const entry = new Uint8Array(packed.length + markBytes);
    entry.set(packed);
    writeMarks(entry, marks);
    this.#bytes += entry.length - (names.get(name)?.length ?? 0);
    names.set(name, entry);
  }

  /** Other bytes came for the object that is held, and meant the same. */
  remark(key: StoreKey, marks: Marks): void {
    const entry = this.#entry(key);
    if (entry !== undefined) writeMarks(entry, marks);
  }

  /** Whether the object was there. */
  delete({ cluster, kind, namespace, name }: StoreKey): boolean {
    const namespaces = this.#clusters.get(cluster)?.get(kind);
    const names = namespaces?.get(namespace);
    const entry = names?.get(name);
    if (namespaces === undefined || names === undefined || entry === undefined) return false;
    this.#bytes -= entry.length;
    names.delete(name);
    if (names.size === 0) namespaces.delete(namespace);
    return true;
  }

  /** Nothing of the cluster is held any more. */
  drop(cluster: string): void {
    for (const namespaces of this.#clusters.get(cluster)?.values() ?? []) {
      for (const names of namespaces.values()) {
        for (const packed of names.values()) this.#bytes -= packed.byteLength;
      }
    }
    this.#clusters.delete(cluster);
  }

  /** Every object of one kind in one cluster. The store must not change while this is read. */
  *objects(cluster: string, kind: Kind): Generator<StoredObject, void, void> {
    for (const [namespace, names] of this.#clusters.get(cluster)?.get(kind) ?? []) {
      for (const [name, entry] of names) yield { namespace, name, packed: packedOf(entry) };
    }
  }

  /** How many objects of one kind in one cluster are held. */
  count(cluster: string, kind: Kind): number {
    let count = 0;
    for (const names of this.#clusters.get(cluster)?.get(kind)?.values() ?? []) count += names.size;
    return count;
  }

  /** The kinds of which something was ever held in a cluster. */
  kinds(cluster: string): Iterable<Kind> {
    return this.#clusters.get(cluster)?.keys() ?? [];
  }

  /** The clusters of which something was ever held. */
  clusters(): Iterable<string> {
    return this.#clusters.keys();
  }

  #entry({ cluster, kind, namespace, name }: StoreKey): Entry | undefined {
    return this.#clusters.get(cluster)?.get(kind)?.get(namespace)?.get(name);
  }
}

function packedOf(entry: Entry): Packed {
  return entry.slice(0, -markBytes);
}

function wordAt(entry: Entry, at: number): number {
  const [a, b, c, d] = [entry[at], entry[at + 1], entry[at + 2], entry[at + 3]] as [
    number,
    number,
    number,
    number,
  ];
  return a | (b << 8) | (c << 16) | (d << 24);
}

function writeMarks(entry: Entry, marks: Marks): void {
  for (const name of ["stamp", "fingerprint"] as const) {
    const { low, high } = marks[name] ?? unknown;
    const at = entry.length - placeOf[name];
    for (let byte = 0; byte < 4; byte++) {
      entry[at + byte] = low >>> (8 * byte);
      entry[at + 4 + byte] = high >>> (8 * byte);
    }
  }
}

function child<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let inner = map.get(key);
  if (inner === undefined) map.set(key, (inner = new Map()));
  return inner;
}
