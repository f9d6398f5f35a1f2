import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import type { Expected, Truth } from "./oracle/expected.ts";
import { expectedOf, mayBeKept } from "./oracle/expected.ts";
import type { Identity } from "../../src/apisix/types.ts";
import { defaultHost, allowedPlugins } from "./setup.ts";
import type { SimCluster } from "./sim-cluster.ts";

/** What one cluster's objects meant from a moment on. */
export interface Meaning {
  readonly from: number;
  readonly groups: ReadonlyMap<string, Expected>;
  readonly truth: Truth;
}

export const policy = { defaultHost, plugins: allowedPlugins };

/** What the objects of every cluster meant at every moment, so that what is written can be judged by what was true. */
export class TruthHistory {
  readonly #instance: string;
  readonly #now: () => number;
  readonly #meanings = new Map<string, Meaning[]>();

  constructor(instance: string, now: () => number) {
    this.#instance = instance;
    this.#now = now;
  }

  note({ name, pods, api }: SimCluster): void {
    const meanings = this.#meanings.get(name) ?? [];
    this.#meanings.set(name, meanings);
    const truth = this.#truth(name, api.store.uid, pods);
    meanings.push({ from: this.#now(), groups: expectedOf(truth), truth });
  }

  /** What the objects mean now. */
  latest(cluster: string): Meaning {
    const latest = this.#meanings.get(cluster)?.at(-1);
    if (latest === undefined) throw new Error(`nothing is known of ${cluster}`);
    return latest;
  }

  /** All that was true at some moment from `from` to now, newest first. */
  *since(cluster: string, from: number): Generator<Meaning, void, void> {
    const meanings = this.#meanings.get(cluster) ?? [];
    for (let at = meanings.length - 1; at >= 0; at--) {
      const meaning = meanings[at];
      if (meaning === undefined) return;
      yield meaning;
      if (meaning.from <= from) return;
    }
  }

  #truth(cluster: string, uid: string, pods: readonly KubeObject[]): Truth {
    return { instance: this.#instance, policy, cluster, uid, pods };
  }
}

/** Whether nothing of the group may stand. */
export function isAbsent({ groups, truth }: Meaning, id: string, identity: Identity): boolean {
  return !groups.has(id) && !mayBeKept(identity, truth);
}
