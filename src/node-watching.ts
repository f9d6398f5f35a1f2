export interface NodeWatchingParts {
  readonly follow: (cluster: string) => void;
  readonly unfollow: (cluster: string) => void;
}

/**
 * Decides whose Nodes are watched: those of a cluster in which some shard has a Service under `via: nodePort`. What a
 * shard said that was lost holds until its successor has said everything anew.
 */
export class NodeWatching {
  readonly #parts: NodeWatchingParts;
  /** Shard → clusters. */
  readonly #wanted = new Map<number, Set<string>>();
  readonly #before = new Map<number, ReadonlySet<string>>();
  readonly #followed = new Set<string>();

  constructor(parts: NodeWatchingParts) {
    this.#parts = parts;
  }

  wants(shard: number, cluster: string, isWanted: boolean): void {
    const clusters = this.#wanted.get(shard) ?? new Set<string>();
    this.#wanted.set(shard, clusters);
    if (isWanted) clusters.add(cluster);
    else clusters.delete(cluster);
    this.#review(cluster);
  }

  lost(shard: number): void {
    const said = this.#wanted.get(shard);
    if (said === undefined) return;
    this.#before.set(shard, new Set([...said, ...(this.#before.get(shard) ?? [])]));
    this.#wanted.delete(shard);
  }

  restored(shard: number): void {
    const clusters = this.#before.get(shard) ?? [];
    this.#before.delete(shard);
    for (const cluster of clusters) this.#review(cluster);
  }

  /** The cluster is not watched any more. */
  leave(cluster: string): void {
    for (const clusters of this.#wanted.values()) clusters.delete(cluster);
    this.#followed.delete(cluster);
  }

  #review(cluster: string): void {
    const said = [...this.#wanted.values(), ...this.#before.values()];
    const isWanted = said.some((clusters) => clusters.has(cluster));
    if (isWanted === this.#followed.has(cluster)) return;
    if (isWanted) this.#followed.add(cluster);
    else this.#followed.delete(cluster);
    this.#parts[isWanted ? "follow" : "unfollow"](cluster);
  }
}
