interface Left {
  /** `""`: a fleet group. */
  readonly cluster: string;
  readonly at: number;
}

/** Groups of ours of which nothing stands any more, since when: for whoever deleted it, since that was answered. */
export class LeftGroups {
  readonly #left = new Map<string, Left>();

  clear(): void {
    this.#left.clear();
  }

  left(id: string, cluster: string, at: number): void {
    this.#left.set(id, { cluster, at });
  }

  stands(id: string): void {
    this.#left.delete(id);
  }

  answered(id: string, at: number): void {
    const left = this.#left.get(id);
    if (left !== undefined) this.#left.set(id, { ...left, at });
  }

  /** How many but these stood at that time or later: of all clusters, or of one, in which each fleet group counts. */
  since(at: number, but: ReadonlySet<string>, cluster: string | undefined): number {
    const isHere = (of: string): boolean => cluster === undefined || of === "" || of === cluster;
    return [...this.#left].filter(([id, left]) => left.at >= at && !but.has(id) && isHere(left.cluster))
      .length;
  }
}
