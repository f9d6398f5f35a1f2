import type { Kind } from "../watch/events.ts";

export interface Settlement {
  readonly cluster: string;
  readonly kind: Kind;
  readonly token: number;
  /** Shards that can hold objects of it. */
  readonly shards: ReadonlySet<number>;
}

interface Open extends Settlement {
  /** Shards that have not answered. */
  readonly unanswered: Set<number>;
  readonly settled: Promise<boolean>;
  readonly resolve: (settled: boolean) => void;
}

/** Which kinds of which clusters are settled or are being settled, and who has still to answer. */
export class Settlements {
  readonly #open = new Map<string, Open>();
  #tokens = 0;

  /** Replaces an earlier settlement of the same kind, which ends as this one does. */
  open(cluster: string, kind: Kind, shards: readonly number[]): { token: number; settled: Promise<boolean> } {
    const key = `${cluster}/${kind}`;
    const earlier = this.#open.get(key);
    const { promise: settled, resolve } = Promise.withResolvers<boolean>();
    const token = ++this.#tokens;
    this.#open.set(key, {
      cluster,
      kind,
      token,
      shards: new Set(shards),
      unanswered: new Set(shards),
      settled,
      resolve,
    });
    if (earlier !== undefined) void settled.then(earlier.resolve);
    return { token, settled };
  }

  cancel(cluster: string, kind: Kind): void {
    const key = `${cluster}/${kind}`;
    this.#open.get(key)?.resolve(false);
    this.#open.delete(key);
  }

  /** Every kind of the cluster. */
  cancelAll(cluster: string): void {
    for (const open of [...this.#open.values()])
      if (open.cluster === cluster) this.cancel(cluster, open.kind);
  }

  /** A shard has answered; tokens that have been replaced or cancelled mean nothing any more. */
  answered(token: number, shard: number): void {
    for (const open of this.#open.values()) {
      if (open.token !== token || !open.unanswered.delete(shard)) continue;
      if (open.unanswered.size === 0) open.resolve(true);
    }
  }

  /** What a new shard must be told is settled once it has been seeded. */
  *all(): Generator<Settlement, void, void> {
    yield* this.#open.values();
  }

  stop(): void {
    for (const open of this.#open.values()) open.resolve(false);
    this.#open.clear();
  }
}
