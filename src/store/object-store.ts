import type { Fingerprint } from "../protobuf/fingerprint.ts";
import type { Kind } from "../watch/events.ts";
import type { ByteText } from "./byte-text.ts";
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

/** The packed projection, and behind it the marks of the bytes that it was read from. */
type Entry = ByteText;
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

  /** Returns `packed` as it is held: who keeps that keeps nothing besides. */
  put({ cluster, kind, namespace, name }: StoreKey, packed: Packed, marks = noMarks): Packed {
    const kinds = child(this.#clusters, cluster);
    const names = child(child(kinds, kind), namespace);
    const entry = entryOf(packed, marks);
    this.#bytes += entry.length - (names.get(name)?.length ?? 0);
    names.set(name, entry);
    return packedOf(entry);
  }

  /** Other bytes came for the object that is held, and meant the same. */
  remark(key: StoreKey, marks: Marks): void {
    const names = this.#clusters.get(key.cluster)?.get(key.kind)?.get(key.namespace);
    const entry = names?.get(key.name);
    if (entry !== undefined) names?.set(key.name, entryOf(packedOf(entry), marks));
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
        for (const packed of names.values()) this.#bytes -= packed.length;
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

/** A string that is cut out of another shares its memory. */
function packedOf(entry: Entry): Packed {
  return entry.slice(0, -markBytes);
}

/** Where entries are put together. */
const bench = Buffer.allocUnsafeSlow(64 * 1024);

function entryOf(packed: Packed, marks: Marks): Entry {
  const length = packed.length + markBytes;
  const bytes = length <= bench.length ? bench : Buffer.allocUnsafe(length);
  bytes.write(packed, "latin1");
  for (const name of ["stamp", "fingerprint"] as const) {
    const { low, high } = marks[name] ?? unknown;
    const at = length - placeOf[name];
    bytes.writeInt32LE(low | 0, at);
    bytes.writeInt32LE(high | 0, at + 4);
  }
  return bytes.toString("latin1", 0, length);
}

function wordAt(entry: Entry, at: number): number {
  const byte = (index: number): number => entry.charCodeAt(at + index);
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
}

function child<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let inner = map.get(key);
  if (inner === undefined) map.set(key, (inner = new Map()));
  return inner;
}
