import type { SourceKind } from "../declare/declaration.ts";
import type { SourceObject } from "../store/projection.ts";
import type { Source } from "./member.ts";

/** Which object. */
export interface SourceKey {
  readonly cluster: string;
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

type Names = Map<string, Source>;

/** The sources of one shard, by what they are. Nested maps, since one huge Map ends the process when the heap ends. */
export class Sources {
  /** cluster → kind → namespace → name. */
  readonly #clusters = new Map<string, Map<SourceKind, Map<string, Names>>>();

  get({ cluster, kind, namespace, name }: SourceKey): Source | undefined {
    return this.#clusters.get(cluster)?.get(kind)?.get(namespace)?.get(name);
  }

  put(source: Source): void {
    const { kind, namespace, name } = source.object;
    const kinds = child(this.#clusters, source.cluster);
    const namespaces: Map<string, Names> = child(kinds, kind);
    child(namespaces, namespace).set(name, source);
  }

  delete({ cluster, kind, namespace, name }: SourceKey): void {
    const namespaces = this.#clusters.get(cluster)?.get(kind);
    const names = namespaces?.get(namespace);
    names?.delete(name);
    if (names?.size === 0) namespaces?.delete(namespace);
  }

  *all(): Iterable<Source> {
    for (const cluster of this.#clusters.keys()) yield* this.of(cluster);
  }

  *of(cluster: string): Iterable<Source> {
    for (const namespaces of this.#clusters.get(cluster)?.values() ?? []) {
      for (const names of namespaces.values()) yield* names.values();
    }
  }
}

export function keyOf(cluster: string, { kind, namespace, name }: SourceObject): SourceKey {
  return { cluster, kind, namespace, name };
}

/** The key in one string. */
export function keyText({ cluster, object }: Pick<Source, "cluster" | "object">): string {
  return `${cluster}/${object.kind}/${object.namespace}/${object.name}`;
}

function child<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  const held = map.get(key);
  if (held !== undefined) return held;
  const made = new Map<InnerKey, Value>();
  map.set(key, made);
  return made;
}
