import type { SourceFacts } from "./oracle/declared.ts";
import type { ClusterTruth, Expected, Truth } from "./oracle/expected.ts";
import { declaredIn, expectedOf } from "./oracle/expected.ts";
import { idOf } from "./oracle/ownership.ts";
import type { Configuration } from "./setup.ts";
import type { SimCluster } from "./sim-cluster.ts";

/** What one cluster's objects meant from a moment on. */
export interface Meaning {
  readonly from: number;
  readonly groups: ReadonlyMap<string, Expected>;
  readonly truth: Truth;
  /**
   * Groups that nothing declares by name, and the Pods whose annotation cannot be read now and declared them when it
   * last could: these still belong to them.
   */
  readonly kept: ReadonlyMap<string, readonly SourceFacts[]>;
}

const nothing = { pods: [], services: [], slices: [] };

/** Moments whose Services and slices are held against each other. */
const crossedAtMost = 40;

/** What the objects of every cluster meant at every moment, so that what is written can be judged by what was true. */
export class TruthHistory {
  readonly #instance: string;
  readonly #now: () => number;
  #fleet: Meaning | undefined;
  readonly #meanings = new Map<string, Meaning[]>();
  /** Cluster and address → since when a Pod that says something has it. */
  readonly #addresses = new Map<string, number>();
  readonly #unpaused = new Set<string>();
  /** Pod's uid → ids that it declared when its annotation could last be read. */
  readonly #lastDeclared = new Map<string, readonly string[]>();

  readonly #configuration: () => Configuration;

  constructor(instance: string, configuration: () => Configuration, now: () => number) {
    this.#instance = instance;
    this.#configuration = configuration;
    this.#now = now;
  }

  note({ name, pods, services, slices, nodes, hasNodes, store, rebuilt }: SimCluster): void {
    const meanings = this.#meanings.get(name) ?? [];
    this.#meanings.set(name, meanings);
    const { policy, weights, purges } = this.#configuration();
    const weight = weights.get(name);
    const cluster: ClusterTruth = {
      ...{ name, uid: store.uid, weight: weight ?? 100 },
      ...(purges.get(name) === "done" ? nothing : { pods, services, slices }),
      nodes: hasNodes ? nodes : undefined,
      known: (weight !== undefined && rebuilt !== "unknown") || purges.get(name) === "done",
    };
    const truth: Truth = { instance: this.#instance, policy, clusters: [cluster] };
    this.#fleet = undefined;
    const groups = expectedOf(truth);
    meanings.push({ from: this.#now(), groups, truth, kept: this.#kept(truth, groups) });
  }

  /** What the objects mean now: of one cluster, or (`""`) of all together, which is what fleet groups are. */
  latest(cluster: string): Meaning {
    if (cluster === "") return (this.#fleet ??= this.#ofAll());
    const latest = this.#meanings.get(cluster)?.at(-1);
    if (latest === undefined) throw new Error(`nothing is known of ${cluster}`);
    return latest;
  }

  /** What the cluster's objects meant at that moment; undefined: there was nothing yet. */
  at(cluster: string, at: number): Meaning | undefined {
    return this.#meanings.get(cluster)?.findLast(({ from }) => from <= at);
  }

  /** Whether what has this uid was not paused at some moment: before that it gives nothing. */
  wasUnpaused(uid: string): boolean {
    return this.#unpaused.has(uid);
  }

  /** Since when a Pod that opts in has the address; undefined: none ever had. */
  addressSince(cluster: string, host: string): number | undefined {
    return this.#addresses.get(`${cluster}/${host}`);
  }

  /** Whether the group was declared at that moment, or kept, by any cluster. */
  wasDeclared(id: string, at: number): boolean {
    return [...this.#meanings.keys()].some((cluster) => {
      const meaning = this.at(cluster, at);
      return meaning !== undefined && (meaning.groups.has(id) || meaning.kept.has(id));
    });
  }

  /** When the last cluster stopped declaring or keeping the group; 0: none ever did. */
  undeclaredSince(id: string): number {
    const ends = [...this.#meanings.values()].map((meanings) => {
      const last = meanings.findLastIndex(({ groups, kept }) => groups.has(id) || kept.has(id));
      return last === -1 ? 0 : (meanings[last + 1]?.from ?? this.#now());
    });
    return Math.max(0, ...ends);
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

  /** What the objects of each of those moments mean under the policy of now, where theirs was another. */
  *underPolicy(cluster: string, from: number): Generator<Meaning, void, void> {
    const { policy } = this.#configuration();
    for (const meaning of this.since(cluster, from)) {
      if (meaning.truth.policy === policy) continue;
      const truth: Truth = { ...meaning.truth, policy };
      yield { ...meaning, groups: expectedOf(truth), truth };
    }
  }

  /**
   * What the Services of one moment meant with the slices, or with the Nodes, or both, of another, from `from` to now:
   * watches, of which any may be behind.
   */
  *crossed(cluster: string, from: number): Generator<Meaning, void, void> {
    const window = [...this.since(cluster, from)].slice(0, crossedAtMost);
    for (const meaning of window)
      for (const other of window) {
        const [own] = meaning.truth.clusters;
        const [crossed] = other.truth.clusters;
        if (meaning === other || own === undefined || crossed === undefined) continue;
        const { slices, nodes } = crossed;
        const mixes = nodes === undefined ? [{ slices }] : [{ slices }, { nodes }, { slices, nodes }];
        for (const mixed of mixes) {
          const truth: Truth = { ...meaning.truth, clusters: [{ ...own, ...mixed }] };
          yield { ...meaning, groups: expectedOf(truth), truth };
        }
      }
  }

  #ofAll(): Meaning {
    const all = [...this.#meanings.values()].flatMap((meanings) => meanings.at(-1) ?? []);
    const clusters = all.flatMap(({ truth }) => truth.clusters);
    const { policy } = this.#configuration();
    const truth: Truth = { instance: this.#instance, policy, clusters };
    const groups = [...expectedOf(truth)].filter(([, { identity }]) => identity.share === "fleet");
    const kept = new Map(all.flatMap((meaning) => [...meaning.kept]));
    return { from: this.#now(), groups: new Map(groups), truth, kept };
  }

  #kept(truth: Truth, groups: ReadonlyMap<string, Expected>): Map<string, SourceFacts[]> {
    const kept = new Map<string, SourceFacts[]>();
    for (const { pod, entries, keepsAll } of declaredIn(truth)) {
      const address = `${pod.cluster}/${pod.ip ?? ""}`;
      if (!this.#addresses.has(address)) this.#addresses.set(address, this.#now());
      if (!pod.paused) this.#unpaused.add(pod.uid);
      const named = entries.map(({ identity }) => idOf(this.#instance, identity));
      if (!keepsAll) {
        this.#lastDeclared.set(pod.uid, named);
        continue;
      }
      for (const id of this.#lastDeclared.get(pod.uid) ?? []) {
        // What it names beside what cannot be read is judged by that: forbidden, it goes.
        if (groups.has(id) || named.includes(id)) continue;
        kept.set(id, [...(kept.get(id) ?? []), pod]);
      }
    }
    return kept;
  }
}
