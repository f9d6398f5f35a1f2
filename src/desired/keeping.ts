import type { Source } from "./member.ts";

/**
 * Objects that this shard has first met with something in their annotation that cannot be read. What they declared
 * before only APISIX can tell: for each group that stands, whether it has nodes of theirs. Asked once for each.
 */
export class Keeping {
  /** cluster/namespace → name → ids that are decided. */
  readonly #places = new Map<string, Map<string, Set<string>>>();

  /** `isNew`: nothing is known of what it declared before. */
  note(source: Source, isNew: boolean): void {
    const { cluster, pod } = source;
    const place = `${cluster}/${pod.namespace}`;
    const names = this.#places.get(place) ?? new Map<string, Set<string>>();
    if (keepsNothing(source)) names.delete(pod.name);
    else if (isNew) names.set(pod.name, new Set());
    if (names.size === 0) this.#places.delete(place);
    else this.#places.set(place, names);
  }

  get isAny(): boolean {
    return this.#places.size > 0;
  }

  drop({ cluster, pod }: Source): void {
    const place = `${cluster}/${pod.namespace}`;
    const names = this.#places.get(place);
    names?.delete(pod.name);
    if (names?.size === 0) this.#places.delete(place);
  }

  /** Names of the objects of this namespace for which this group is not decided. */
  undecided(cluster: string, namespace: string, id: string): string[] {
    const names = this.#places.get(`${cluster}/${namespace}`) ?? new Map<string, Set<string>>();
    return [...names].filter(([, decided]) => !decided.has(id)).map(([name]) => name);
  }

  names(cluster: string, namespace: string): string[] {
    return [...(this.#places.get(`${cluster}/${namespace}`)?.keys() ?? [])];
  }

  decide({ cluster, pod }: Source, id: string): void {
    this.#places.get(`${cluster}/${pod.namespace}`)?.get(pod.name)?.add(id);
  }
}

/** Whether a route of this name that stands is not taken out by what cannot be read. */
export function keepsRoute({ keeps }: Source, route: string): boolean {
  return keeps === "all" || keeps.includes(route);
}

function keepsNothing({ keeps }: Source): boolean {
  return keeps !== "all" && keeps.length === 0;
}
