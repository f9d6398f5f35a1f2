import type { Stands } from "../desired/group.ts";
import type { Standings } from "../desired/desired-state.ts";
import type { Known } from "../shard/protocol.ts";

/** What stands in APISIX for one shard, indexed by every question that is asked of it. */
export class KnownIndex implements Standings {
  readonly #byId = new Map<string, Known>();
  /** cluster → kind → ids. */
  readonly #byKind = new Map<string, Map<string, Set<string>>>();
  /** Place of the object (`share: none`) or namespace (`share: cluster`) → ids. */
  readonly #byPlace = new Map<string, Set<string>>();

  get(id: string): Known | undefined {
    return this.#byId.get(id);
  }

  put(known: Known): void {
    this.remove(known.id);
    if (known.upstream === undefined && known.route === undefined) return;
    this.#byId.set(known.id, known);
    const { cluster, kind } = known.identity;
    const kinds = this.#byKind.get(cluster) ?? new Map<string, Set<string>>();
    this.#byKind.set(cluster, kinds);
    addTo(kinds, kind, known.id);
    addTo(this.#byPlace, placeOf(known), known.id);
  }

  remove(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    removeFrom(this.#byKind.get(known.identity.cluster), known.identity.kind, id);
    removeFrom(this.#byPlace, placeOf(known), id);
  }

  of(id: string): Stands {
    const known = this.#byId.get(id);
    return { upstream: known?.upstream !== undefined, route: known?.route !== undefined };
  }

  ofPod(cluster: string, namespace: string, name: string): Iterable<Known> {
    return this.#at(`none/${cluster}/pod/${namespace}/${name}`);
  }

  ofNamespace(cluster: string, namespace: string): Iterable<Known> {
    return this.#at(`cluster/${cluster}/pod/${namespace}/`);
  }

  ofKind(cluster: string, kind: "pod" | "service"): readonly string[] {
    return [...(this.#byKind.get(cluster)?.get(kind) ?? [])];
  }

  *#at(place: string): Iterable<Known> {
    for (const id of this.#byPlace.get(place) ?? []) {
      const known = this.#byId.get(id);
      if (known !== undefined) yield known;
    }
  }
}

function placeOf({ identity }: Known): string {
  return `${identity.share}/${identity.cluster}/${identity.kind}/${identity.namespace}/${identity.name}`;
}

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  if (ids === undefined) index.set(key, new Set([id]));
  else ids.add(id);
}

function removeFrom(index: Map<string, Set<string>> | undefined, key: string, id: string): void {
  const ids = index?.get(key);
  ids?.delete(id);
  if (ids?.size === 0) index?.delete(key);
}
