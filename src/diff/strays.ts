import type { Source } from "../desired/member.ts";
import type { Change } from "../shard/protocol.ts";

/**
 * Declarations that belong to no group, counted and told under an id of their own, which no group can have: one for
 * each object.
 */
export class Strays {
  readonly #said = new Map<string, string>();

  /** News about the object's strays; undefined where there is none. */
  review(
    object: { readonly cluster: string; readonly namespace: string; readonly name: string },
    source: Source | undefined,
  ): Change | undefined {
    const { cluster, namespace, name } = object;
    const id = strayId(cluster, namespace, name);
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
      identity: { share: "none", cluster, kind: "pod", namespace, name, route: "" },
      counts: strays.length === 0 ? {} : { Invalid: strays.length },
      ...(reason === "" ? {} : { reason: `${cluster}/${namespace}/pod/${name}: ${reason}` }),
      stand: { type: "nothing" },
    };
  }
}

function strayId(cluster: string, namespace: string, name: string): string {
  return `${cluster}/pod/${namespace}/${name}`;
}
