import type { Source, Stray } from "../desired/member.ts";
import type { SourceKey } from "../desired/sources.ts";
import type { Change, LocalCounts } from "../shard/change.ts";

/**
 * Declarations that belong to no group, counted and told under an id of their own, which no group can have: one for
 * each object.
 */
export class Strays {
  readonly #said = new Map<string, string>();

  /** News about the object's strays; undefined where there is none. */
  review({ cluster, kind, namespace, name }: SourceKey, source: Source | undefined): Change | undefined {
    const id = `${cluster}/${kind}/${namespace}/${name}`;
    const strays = source?.strays ?? [];
    const reason = strays
      .map((stray) => stray.reason)
      .join("; ")
      .slice(0, 900);
    if ((this.#said.get(id) ?? "") === reason) return undefined;
    if (strays.length === 0) this.#said.delete(id);
    else this.#said.set(id, reason);
    return {
      id,
      identity: { share: "none", cluster, kind, namespace, name, route: "" },
      counts: countsOf(strays),
      ...(reason === "" ? {} : { reason: `${cluster}/${namespace}/${kind}/${name}: ${reason}` }),
      stand: { type: "nothing" },
    };
  }

  /** What was said of a cluster's objects will be said anew. */
  forget(cluster: string): void {
    for (const id of [...this.#said.keys()]) if (id.startsWith(`${cluster}/`)) this.#said.delete(id);
  }
}

function countsOf(strays: readonly Stray[]): LocalCounts {
  const counts: Partial<Record<Stray["state"], number>> = {};
  for (const { state } of strays) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
