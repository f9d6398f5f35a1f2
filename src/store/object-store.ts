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

type Names = Map<string, Packed>;
type Namespaces = Map<string, Names>;

/**
 * The packed projection of every object that was kept: what the filter compares with, and what a new shard is seeded
 * from. Nested maps, because one huge map that grows to the heap's limit aborts the whole process. One writer: the filter.
 */
export class ObjectStore {
  readonly #clusters = new Map<string, Map<Kind, Namespaces>>();
  #bytes = 0;

  /** Bytes of all projections, without the maps around them. */
  get bytes(): number {
    return this.#bytes;
  }

  get({ cluster, kind, namespace, name }: StoreKey): Packed | undefined {
    return this.#clusters.get(cluster)?.get(kind)?.get(namespace)?.get(name);
  }

  /** Takes `packed` over: it must not change afterwards. */
  put({ cluster, kind, namespace, name }: StoreKey, packed: Packed): void {
    const kinds = child(this.#clusters, cluster);
    const names = child(child(kinds, kind), namespace);
    this.#bytes += packed.byteLength - (names.get(name)?.byteLength ?? 0);
    names.set(name, packed);
  }

  /** Whether the object was there. */
  delete({ cluster, kind, namespace, name }: StoreKey): boolean {
    const namespaces = this.#clusters.get(cluster)?.get(kind);
    const names = namespaces?.get(namespace);
    const packed = names?.get(name);
    if (namespaces === undefined || names === undefined || packed === undefined) return false;
    this.#bytes -= packed.byteLength;
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
      for (const [name, packed] of names) yield { namespace, name, packed };
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
}

function child<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let inner = map.get(key);
  if (inner === undefined) map.set(key, (inner = new Map()));
  return inner;
}
