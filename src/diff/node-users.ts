/** Whether the Nodes of a cluster are needed, now that they were not, or the other way round. */
export interface NodeWish {
  readonly cluster: string;
  readonly isWanted: boolean;
}

/** Which groups have the Nodes of which clusters for nodes: cluster → groups, and group → clusters. */
export class NodeUsers {
  readonly #groups = new Map<string, Set<string>>();
  readonly #clusters = new Map<string, readonly string[]>();
  #wishes: NodeWish[] = [];

  /** The clusters whose Nodes this group uses from now on. */
  note(id: string, clusters: readonly string[]): void {
    const before = this.#clusters.get(id) ?? [];
    for (const cluster of clusters) if (!before.includes(cluster)) this.#add(cluster, id);
    for (const cluster of before) if (!clusters.includes(cluster)) this.#remove(cluster, id);
    if (clusters.length === 0) this.#clusters.delete(id);
    else this.#clusters.set(id, clusters);
  }

  clustersOf(id: string): readonly string[] {
    return this.#clusters.get(id) ?? [];
  }

  groupsOf(cluster: string): Iterable<string> {
    return this.#groups.get(cluster) ?? [];
  }

  /** What has changed since the last call. */
  drain(): readonly NodeWish[] {
    const wishes = this.#wishes;
    this.#wishes = [];
    return wishes;
  }

  #add(cluster: string, id: string): void {
    const ids = this.#groups.get(cluster);
    if (ids !== undefined) return void ids.add(id);
    this.#groups.set(cluster, new Set([id]));
    this.#wishes.push({ cluster, isWanted: true });
  }

  #remove(cluster: string, id: string): void {
    const ids = this.#groups.get(cluster);
    ids?.delete(id);
    if (ids?.size !== 0) return;
    this.#groups.delete(cluster);
    this.#wishes.push({ cluster, isWanted: false });
  }
}
