import type { Identity } from "../apisix/types.ts";
import type { Source } from "./member.ts";

/** Where objects of one kind stand that may share a group. `cluster` is `""` for all clusters, `name` for all names. */
export type Place = Pick<Identity, "cluster" | "kind" | "namespace"> & { readonly name?: string };

interface Entry {
  readonly cluster: string;
  readonly name: string;
  /** Ids of groups for which it is decided. */
  readonly decided: Set<string>;
}

/**
 * Objects that this shard has first met with something in their annotation that cannot be read. What they declared
 * before only APISIX can tell: for each group that stands, whether it has nodes of theirs. Asked once for each.
 */
export class Keeping {
  /** kind/namespace → cluster/name. */
  readonly #places = new Map<string, Map<string, Entry>>();

  /** `isNew`: nothing is known of what it declared before. */
  note(source: Source, isNew: boolean): void {
    const { cluster, object } = source;
    const { name } = object;
    const key = placeText(object);
    const entries = this.#places.get(key) ?? new Map<string, Entry>();
    if (keepsNothing(source)) entries.delete(entryText(source));
    else if (isNew) entries.set(entryText(source), { cluster, name, decided: new Set() });
    if (entries.size === 0) this.#places.delete(key);
    else this.#places.set(key, entries);
  }

  get isAny(): boolean {
    return this.#places.size > 0;
  }

  drop(source: Source): void {
    const key = placeText(source.object);
    const entries = this.#places.get(key);
    entries?.delete(entryText(source));
    if (entries?.size === 0) this.#places.delete(key);
  }

  /** Those of this place. */
  entries(place: Place): Entry[] {
    const entries = [...(this.#places.get(placeText(place))?.values() ?? [])];
    const { cluster, name = "" } = place;
    return entries.filter(
      (entry) => (cluster === "" || entry.cluster === cluster) && (name === "" || entry.name === name),
    );
  }

  /** Those of this place for which the group is not decided. */
  undecided(place: Place, id: string): Entry[] {
    return this.entries(place).filter(({ decided }) => !decided.has(id));
  }

  isUndecided(source: Source, id: string): boolean {
    const entry = this.#entryOf(source);
    return entry !== undefined && !entry.decided.has(id);
  }

  decide(source: Source, id: string): void {
    this.#entryOf(source)?.decided.add(id);
  }

  #entryOf(source: Source): Entry | undefined {
    return this.#places.get(placeText(source.object))?.get(entryText(source));
  }
}

/** Whether a route of this name that stands is not taken out by what cannot be read. */
export function keepsRoute({ keeps }: Source, route: string): boolean {
  return keeps === "all" || keeps.includes(route);
}

function keepsNothing({ keeps }: Source): boolean {
  return keeps !== "all" && keeps.length === 0;
}

function placeText({ kind, namespace }: Pick<Place, "kind" | "namespace">): string {
  return `${kind}/${namespace}`;
}

function entryText({ cluster, object: { name } }: Source): string {
  return `${cluster}/${name}`;
}
