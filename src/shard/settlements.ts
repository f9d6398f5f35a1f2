import type { Kind } from "../watch/events.ts";
import type { ToShard } from "./protocol.ts";

export interface Settlement {
  readonly cluster: string;
  readonly kind: Kind;
  readonly token: number;
  /** Shards that can hold objects of it. */
  readonly shards: ReadonlySet<number>;
}

export type Loss = Extract<ToShard, { type: "unsettle" | "purge" }>;

interface Open extends Settlement {
  /** Shards that have not answered. */
  readonly unanswered: Set<number>;
  readonly settled: Promise<boolean>;
  readonly resolve: (settled: boolean) => void;
}

/** Which kinds of which clusters are settled or are being settled, and who has still to answer. */
export class Settlements {
  readonly #open = new Map<string, Open>();
  /** Kinds that are known to be out of sight. */
  readonly #unseen = new Map<string, { readonly cluster: string; readonly kind: Kind }>();
  readonly #purged = new Set<string>();
  #tokens = 0;

  /** Replaces an earlier settlement of the same kind, which ends as this one does. */
  open(cluster: string, kind: Kind, shards: readonly number[]): { token: number; settled: Promise<boolean> } {
    const key = `${cluster}/${kind}`;
    const earlier = this.#open.get(key);
    this.#unseen.delete(key);
    this.#purged.delete(cluster);
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

  unsettle(cluster: string, kind: Kind): void {
    this.cancel(cluster, kind);
    this.#unseen.set(`${cluster}/${kind}`, { cluster, kind });
  }

  purge(cluster: string): void {
    this.#purged.add(cluster);
  }

  /** The cluster has left: nothing of it is settled any more, nor known to be out of sight. */
  left(cluster: string): void {
    for (const open of [...this.#open.values()])
      if (open.cluster === cluster) this.cancel(cluster, open.kind);
    for (const [key, unseen] of this.#unseen) if (unseen.cluster === cluster) this.#unseen.delete(key);
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

  /** What a new shard must be told of who cannot be seen, before anything is settled. */
  *losses(): Generator<Loss, void, void> {
    for (const { cluster, kind } of this.#unseen.values()) yield { type: "unsettle", cluster, kind };
    for (const cluster of this.#purged) yield { type: "purge", cluster };
  }

  stop(): void {
    for (const open of this.#open.values()) open.resolve(false);
    this.#open.clear();
  }
}
