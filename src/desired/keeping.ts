import type { Identity } from "../apisix/types.ts";
import type { Source } from "./member.ts";

/**
 * Objects that this shard has first met with something in their annotation that cannot be read. What they declared
 * before only APISIX can tell: for each group that stands, whether it has nodes of theirs. Asked once for each.
 */
export class Keeping {
  /** cluster/kind/namespace → name → ids that are decided. */
  readonly #places = new Map<string, Map<string, Set<string>>>();

  /** `isNew`: nothing is known of what it declared before. */
  note(source: Source, isNew: boolean): void {
    const { name } = source.object;
    const place = placeOf(source);
    const names = this.#places.get(place) ?? new Map<string, Set<string>>();
    if (keepsNothing(source)) names.delete(name);
    else if (isNew) names.set(name, new Set());
    if (names.size === 0) this.#places.delete(place);
    else this.#places.set(place, names);
  }

  get isAny(): boolean {
    return this.#places.size > 0;
  }

  drop(source: Source): void {
    const place = placeOf(source);
    const names = this.#places.get(place);
    names?.delete(source.object.name);
    if (names?.size === 0) this.#places.delete(place);
  }

  /** Names of the objects of this place for which this group is not decided. */
  undecided(place: Place, id: string): string[] {
    const names = this.#places.get(keyOf(place)) ?? new Map<string, Set<string>>();
    return [...names].filter(([, decided]) => !decided.has(id)).map(([name]) => name);
  }

  names(place: Place): string[] {
    return [...(this.#places.get(keyOf(place))?.keys() ?? [])];
  }

  decide(source: Source, id: string): void {
    this.#places.get(placeOf(source))?.get(source.object.name)?.add(id);
  }
}

/** Where objects of one kind stand that may share a group. */
export type Place = Pick<Identity, "cluster" | "kind" | "namespace">;

function keyOf({ cluster, kind, namespace }: Place): string {
  return `${cluster}/${kind}/${namespace}`;
}

function placeOf({ cluster, object: { kind, namespace } }: Source): string {
  return keyOf({ cluster, kind, namespace });
}

/** Whether a route of this name that stands is not taken out by what cannot be read. */
export function keepsRoute({ keeps }: Source, route: string): boolean {
  return keeps === "all" || keeps.includes(route);
}

function keepsNothing({ keeps }: Source): boolean {
  return keeps !== "all" && keeps.length === 0;
}
