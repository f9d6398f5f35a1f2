import type { Identity } from "../apisix/types.ts";
import type { SourceKind } from "../declare/declaration.ts";
import type { Stands } from "../desired/group.ts";
import type { Standings } from "../desired/standings.ts";
import type { SourceKey } from "../desired/sources.ts";
import type { Known } from "../shard/protocol.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import { IdIndex } from "./id-index.ts";

/** What stands in APISIX for one shard, indexed by every question that is asked of it. */
export class KnownIndex implements Standings {
  readonly #byId = new Map<string, Known>();
  /** Cluster and kind → ids. */
  readonly #byKind = new IdIndex();
  /** What the identity has but for the route → ids. */
  readonly #byPlace = new IdIndex();
  /** Cluster and kind → ids of fleet groups in which the cluster has a part. */
  readonly #byMember = new IdIndex();

  get(id: string): Known | undefined {
    return this.#byId.get(id);
  }

  put(known: Known): void {
    const held = this.#byId.get(known.id);
    // An id stands for one identity: as a rule nothing but digests is new.
    if (held !== undefined && isPlacedAlike(held, known)) return void this.#byId.set(known.id, known);
    this.remove(known.id);
    if (known.upstream === undefined && known.route === undefined) return;
    this.#byId.set(known.id, known);
    const { cluster, kind } = known.identity;
    this.#byKind.add(`${cluster}/${kind}`, known.id);
    this.#byPlace.add(placeOf(known.identity), known.id);
    for (const [member] of known.members ?? []) this.#byMember.add(`${member}/${kind}`, known.id);
  }

  remove(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    const { cluster, kind } = known.identity;
    this.#byKind.remove(`${cluster}/${kind}`, id);
    this.#byPlace.remove(placeOf(known.identity), id);
    for (const [member] of known.members ?? []) this.#byMember.remove(`${member}/${kind}`, id);
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
    return [...this.#byMember.at(`${cluster}/${kind}`)];
  }

  ofKind(cluster: string, kind: SourceKind): readonly string[] {
    return [...this.#byKind.at(`${cluster}/${kind}`)];
  }

  *#at(place: string): Iterable<Known> {
    for (const id of this.#byPlace.at(place)) {
      const known = this.#byId.get(id);
      if (known !== undefined) yield known;
    }
  }
}

const noMembers: Stands["members"] = [];

function isPlacedAlike(a: Known, b: Known): boolean {
  const stands = b.upstream !== undefined || b.route !== undefined;
  const [before, now] = [a.members ?? noMembers, b.members ?? noMembers];
  return stands && before.length === now.length && before.every(([name], at) => now[at]?.[0] === name);
}

function placeOf({ share, cluster, kind, namespace, name }: Omit<Identity, "route">): string {
  // Joined: what a template makes is kept twice, in its parts and whole, once it is a key.
  return [share, cluster, kind, namespace, name].join("/");
}
