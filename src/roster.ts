import type { ClusterConfig } from "./config.ts";
import type { FoundCluster } from "./config/cluster-secret.ts";
import type { Log } from "./runtime.ts";
import { shareNames } from "./share-names.ts";
import { sameScope } from "./watch/kinds.ts";
import { narrowedIn } from "./watched.ts";
import type { ClustersChange, Configured, Watched } from "./watched.ts";

export interface RosterParts {
  readonly log: Log;
  /** Why there may be clusters besides those that are watched, one sentence with what to do; undefined: there are none. */
  readonly whyUnknown: () => string | undefined;
}

/**
 * Which clusters there are: those of the configuration file, in its order, then those out of Secrets, by name. A name
 * belongs to whoever had it first: file before Secrets, then the Secret's name.
 */
export class Roster {
  readonly #parts: RosterParts;
  #watched: readonly Watched[] = [];
  #byName: ReadonlyMap<string, Watched> = new Map();
  /** Cluster → the namespaces that alone are listed in it. */
  #narrowed: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  /** Names in Secrets, of those too that are not watched. */
  #found: ReadonlySet<string> = new Set();
  #refused: readonly string[] = [];

  constructor(clusters: readonly ClusterConfig[], parts: RosterParts) {
    this.#parts = parts;
    this.become(clusters);
  }

  /** Everything that is watched, or about to be. */
  get watched(): readonly Watched[] {
    return this.#watched;
  }

  get byName(): ReadonlyMap<string, Watched> {
    return this.#byName;
  }

  /** What a Secret says and is not done, one sentence each. */
  get refused(): readonly string[] {
    return this.#refused;
  }

  lookUp(name: string): Configured {
    const cluster = this.#byName.get(name);
    if (cluster !== undefined) return { is: "watched", cluster };
    const named = "a cluster Secret names it, and it is not watched; /readyz says why";
    const why = this.#parts.whyUnknown() ?? (this.#found.has(name) ? named : undefined);
    return why === undefined ? { is: "absent" } : { is: "unknown", why };
  }

  covers({ cluster, namespace }: { readonly cluster: string; readonly namespace: string }): boolean {
    return this.#narrowed.get(cluster)?.has(namespace) ?? true;
  }

  /** Who is to be watched, in steps: a name that passes to another cluster is nobody's in between. */
  share(
    configured: readonly ClusterConfig[],
    found: readonly FoundCluster[],
  ): readonly (readonly Watched[])[] {
    const { taken, refused } = shareNames(configured, found);
    const next: readonly Watched[] = taken;
    this.#found = new Set(found.map(({ cluster }) => cluster.name));
    this.#say(refused);
    const stays = next.filter((cluster) => {
      const was = this.#byName.get(cluster.name);
      return was === undefined || was.inline?.origin === cluster.inline?.origin;
    });
    // The name of a cluster whose Secret is gone, say, and that another Secret has too: that one owes it nothing.
    return stays.length < next.length ? [stays, next] : [next];
  }

  become(watched: readonly Watched[]): ClustersChange {
    const before = this.#byName;
    this.#watched = watched;
    this.#byName = new Map(watched.map((cluster) => [cluster.name, cluster]));
    this.#narrowed = narrowedIn(watched);
    const left = [...before.keys()].filter((name) => !this.#byName.has(name));
    const relisted = watched.filter((cluster) => {
      const was = before.get(cluster.name);
      return was !== undefined && !sameScope(was, cluster);
    });
    return { watched, left, relisted: relisted.map(({ name }) => name) };
  }

  #say(refused: readonly string[]): void {
    const advice = "give the cluster a name of its own with options.name, or take the Secret's label away";
    for (const reason of refused)
      if (!this.#refused.includes(reason))
        this.#parts.log.error({ reason, advice }, "a cluster Secret is refused");
    this.#refused = refused;
  }
}
