import type { Identity } from "../apisix/types.ts";
import type { SourceKind } from "../declare/declaration.ts";
import type { Stands } from "../desired/group.ts";
import type { Standings } from "../desired/standings.ts";
import type { SourceKey } from "../desired/sources.ts";
import type { Known } from "../shard/protocol.ts";
import { sourceKinds } from "../store/source-kinds.ts";

/** What stands in APISIX for one shard, indexed by every question that is asked of it. */
export class KnownIndex implements Standings {
  readonly #byId = new Map<string, Known>();
  /** cluster → kind → ids. */
  readonly #byKind = new Map<string, Map<string, Set<string>>>();
  /** What the identity has but for the route → ids. */
  readonly #byPlace = new Map<string, Set<string>>();
  /** Cluster and kind → ids of fleet groups in which the cluster has a part. */
  readonly #byMember = new Map<string, Set<string>>();

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
    addTo(this.#byPlace, placeOf(known.identity), known.id);
    for (const [member] of known.members ?? []) addTo(this.#byMember, `${member}/${kind}`, known.id);
  }

  remove(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    removeFrom(this.#byKind.get(known.identity.cluster), known.identity.kind, id);
    removeFrom(this.#byPlace, placeOf(known.identity), id);
    for (const [member] of known.members ?? [])
      removeFrom(this.#byMember, `${member}/${known.identity.kind}`, id);
  }

  of(id: string): Stands {
    const known = this.#byId.get(id);
    return {
      upstream: known?.upstream !== undefined,
      route: known?.route !== undefined,
      members: known?.members ?? noMembers,
    };
  }

  ofObject(object: SourceKey): Iterable<Known> {
    return this.#at(placeOf({ ...object, share: "none" }));
  }

  *shared(object: SourceKey): Iterable<Known> {
    const { cluster, kind } = object;
    const name = sourceKinds[kind].sharedByName ? object.name : "";
    yield* this.#at(placeOf({ ...object, share: "cluster", cluster, name }));
    yield* this.#at(placeOf({ ...object, share: "fleet", cluster: "", name }));
  }

  /** Fleet groups of one kind of source in which the cluster has a part. */
  ofMember(cluster: string, kind: SourceKind): readonly string[] {
    return [...(this.#byMember.get(`${cluster}/${kind}`) ?? [])];
  }

  ofKind(cluster: string, kind: SourceKind): readonly string[] {
    return [...(this.#byKind.get(cluster)?.get(kind) ?? [])];
  }

  *#at(place: string): Iterable<Known> {
    for (const id of this.#byPlace.get(place) ?? []) {
      const known = this.#byId.get(id);
      if (known !== undefined) yield known;
    }
  }
}

const noMembers: Stands["members"] = [];

function placeOf({ share, cluster, kind, namespace, name }: Omit<Identity, "route">): string {
  return `${share}/${cluster}/${kind}/${namespace}/${name}`;
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
