/** Which clusters are settled, and which groups wait for theirs to be. */
export class Settling {
  readonly #settled = new Set<string>();
  readonly #waiting = new Map<string, Set<string>>();

  isSettled(cluster: string): boolean {
    return this.#settled.has(cluster);
  }

  /** Whether the group must wait; if so it is remembered. */
  postpone(cluster: string, id: string): boolean {
    if (this.#settled.has(cluster)) return false;
    const ids = this.#waiting.get(cluster) ?? new Set<string>();
    this.#waiting.set(cluster, ids);
    ids.add(id);
    return true;
  }

  /** Groups that have waited for this cluster. */
  settle(cluster: string): Iterable<string> {
    this.#settled.add(cluster);
    const ids = this.#waiting.get(cluster) ?? [];
    this.#waiting.delete(cluster);
    return ids;
  }

  unsettle(cluster: string): void {
    this.#settled.delete(cluster);
  }
}
