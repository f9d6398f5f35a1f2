import type { Identity, JsonObject, Resource } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import type { Kept } from "../filter/kept.ts";
import type { Clock, Log } from "../runtime.ts";
import type { Kind } from "../watch/events.ts";
import type { LostReason, ShardLinks } from "./link.ts";
import type { Change } from "./change.ts";
import type {
  BuiltBody,
  Configured,
  Explained,
  ExplainQuery,
  FromShard,
  GonePart,
  Known,
} from "./protocol.ts";
import type { Quarantined } from "./quarantine.ts";
import { Shard } from "./shard.ts";
import type { Place } from "./shard-key.ts";
import { placeOf, shardOf } from "./shard-key.ts";
import { Settlements } from "./settlements.ts";

export type Applied = Extract<Kept, { type: "apply" }>;
export type Wanted = Extract<FromShard, { type: "body" | "same" | "stale" }>;

export interface ShardsParts {
  readonly count: number;
  readonly options: Configured;
  readonly links: ShardLinks;
  readonly clock: Clock;
  readonly log: Log;
  /** Every object of the shard that the store holds now; read when the shard is seeded, in one go. */
  objectsOf(shard: number): Iterable<Applied>;
  /** What stands in APISIX of the shard's ids, as known now; read when the shard is seeded, in one go. */
  knownOf(shard: number): Iterable<Known>;
  readonly on: ShardsEvents;
  /** Requests that could begin now: so many bodies may come unasked. Absent: none. */
  readonly freeRequests?: () => number;
  /** Milliseconds without an answer after which a shard hangs. */
  readonly patience?: number;
}

export interface ShardsEvents {
  /** `bodies`: of some of them, as asked for with `want`. */
  changes(changes: readonly Change[], bodies?: readonly BuiltBody[]): void;
  /** To be answered with `kept`, from a fresh read of APISIX. */
  need(id: string, identity: Identity): void;
  /** Parts of fleet groups that a list took away, or that are there again; a shard that is started again says so anew. */
  parts(parts: readonly GonePart[]): void;
  /** Whether the shard needs the Nodes of this cluster; a shard that is started again says so anew. */
  nodes(shard: number, cluster: string, isWanted: boolean): void;
  /** Its keys are frozen from now on: `isUp` is already false. */
  lost(shard: number, reason: LostReason): void;
  /** It has been reseeded and has said everything anew: `isUp` is true again. */
  restored(shard: number): void;
  /** An object killed its shard again and again: it is kept from it until it is deleted. */
  quarantined(object: Quarantined): void;
}

export interface ShardsStats {
  readonly restarts: Readonly<Record<LostReason, number>>;
  /** Changes of objects that wait to be sent. */
  readonly waiting: number;
  /** Batches that were sent and not answered. */
  readonly unacked: number;
  readonly down: number;
}

/**
 * All shards of the process: spreads keys over them, and keeps them alive.
 *
 * Guarantees: what was offered before a `settle` reaches the shard before it; a shard that is lost is replaced by an
 * empty one in a new epoch, seeded from the store, and `isUp` is false for its keys until it has answered for all of
 * that; nothing that an earlier epoch said is heard.
 *
 * Assumes: the store and the ledger hold a change before it is offered here, since a shard that is down is told nothing.
 */
export class Shards {
  readonly #parts: ShardsParts;
  readonly #shards: readonly Shard[];
  readonly #settlements = new Settlements();
  readonly #uids = new Map<string, string>();
  #options: Configured;

  constructor(parts: ShardsParts) {
    this.#parts = parts;
    this.#options = parts.options;
    const options = (): Configured => this.#options;
    const context = { parts, options, settlements: this.#settlements, uids: this.#uids };
    this.#shards = Array.from({ length: parts.count }, (_, index) => new Shard(index, context));
  }

  /** Starts every shard and seeds it. Errors: `SHARD_LOST` when one cannot be started at all. */
  async start(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.start()));
  }

  async stop(): Promise<void> {
    for (const shard of this.#shards) shard.stop();
    this.#settlements.stop();
    await this.#parts.links.close();
  }

  /** The shard to which a key belongs. */
  shardOf(place: Place): number {
    return shardOf(place, this.#parts.count, this.#parts.options.by);
  }

  /** A change that the filter has kept; the store holds it already. */
  offer(kept: Kept): void {
    const place = placeOf(kept);
    for (const shard of place === undefined ? this.#of(kept.cluster) : [this.#at(place)]) shard.offer(kept);
  }

  /**
   * The configuration has changed: clusters, policy, defaults; `instance` and `by` must stay. Every shard learns it behind
   * what was offered before, and one that is started again starts with it. Of a cluster that it does not name nothing is
   * settled any more; what was being settled resolves false.
   */
  configure(options: Configured): void {
    const left = this.#options.clusters.filter(
      ({ name }) => !options.clusters.some((one) => one.name === name),
    );
    this.#options = options;
    for (const { name } of left) {
      this.#settlements.left(name);
      this.#uids.delete(name);
    }
    for (const shard of this.#shards) shard.inOrder({ type: "configure", options });
  }

  /** The uid of the cluster's `kube-system`. */
  cluster(cluster: string, uid: string): void {
    this.#uids.set(cluster, uid);
    for (const shard of this.#of(cluster)) shard.inOrder({ type: "cluster", cluster, uid });
  }

  /**
   * Everything of this kind in this cluster has been offered. Resolves true once every shard that can hold some of it
   * has answered and its changes have been handed over; false when `unsettle` or `stop` came first. A shard that is lost
   * meanwhile answers after its reseed.
   */
  settle(cluster: string, kind: Kind): Promise<boolean> {
    const shards = this.#of(cluster);
    const { token, settled } = this.#settlements.open(
      cluster,
      kind,
      shards.map((shard) => shard.index),
    );
    for (const shard of shards) shard.inOrder({ type: "settle", cluster, kind, token });
    return settled;
  }

  /** What is offered from now on, until it is settled, a new list of this settled kind takes away. */
  doubt(cluster: string, kind: Kind): void {
    for (const shard of this.#of(cluster)) shard.inOrder({ type: "doubt", cluster, kind });
  }

  /** What the kind holds is unknown from now on. Resolves once every shard has taken that in, or was lost meanwhile. */
  async unsettle(cluster: string, kind: Kind): Promise<void> {
    this.#settlements.unsettle(cluster, kind);
    const told = this.#of(cluster).map((shard) => {
      shard.inOrder({ type: "unsettle", cluster, kind });
      return shard.caughtUp();
    });
    await Promise.all(told);
  }

  /** Resolves once every shard has taken in what was told of this cluster until now, or was lost meanwhile. */
  async caughtUp(cluster: string): Promise<void> {
    await Promise.all(this.#of(cluster).map((shard) => shard.caughtUp()));
  }

  /** The cluster is gone for good, until it is settled again; nothing of it may be settled now. */
  purge(cluster: string): void {
    this.#settlements.purge(cluster);
    for (const shard of this.#of(cluster)) shard.inOrder({ type: "purge", cluster });
  }

  /** Resolves `stale` when the shard is down, or lost before it answers: it says everything anew when it is back. */
  want(identity: Identity, id: string, resource: Resource, pairs?: readonly Pair[]): Promise<Wanted> {
    return this.#at(identity).want({ type: "want", id, resource, ...(pairs === undefined ? {} : { pairs }) });
  }

  known(entry: Known): void {
    this.#at(entry.identity).known(entry);
  }

  forget(identity: Identity, id: string): void {
    this.#at(identity).forget(id);
  }

  kept(identity: Identity, id: string, upstream: JsonObject | null, route: JsonObject | null): void {
    this.#at(identity).tell({ type: "kept", id, upstream, route });
  }

  /** The guard lets the part of this cluster go. */
  letGo(identity: Identity, id: string, cluster: string): void {
    this.#at(identity).tell({ type: "letGo", id, cluster });
  }

  /** Errors: `SHARD_LOST` when a shard that must answer is down or is lost before it does. */
  async explain(query: ExplainQuery): Promise<Explained[]> {
    const asked = query.by === "object" ? [this.#at(query)] : this.#shards;
    return (await Promise.all(asked.map((shard) => shard.explain(query)))).flat();
  }

  /** Whether the shard of this identity is at work and holds all that could belong to it. */
  isUp(identity: Identity): boolean {
    return this.#at(identity).isUp(identity);
  }

  /** Objects that killed their shard, and are kept from it until they are deleted. */
  quarantined(): Quarantined[] {
    return this.#shards.flatMap((shard) => [...shard.quarantine.entries()]);
  }

  /** Seconds of CPU that the shards' threads have used. */
  get cpu(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.cpu, 0);
  }

  stats(): ShardsStats {
    const restarts = { exit: 0, error: 0, memory: 0, hang: 0, protocol: 0, start: 0 };
    let waiting = 0;
    let unacked = 0;
    let down = 0;
    for (const shard of this.#shards) {
      for (const [reason, count] of shard.restarts) restarts[reason] += count;
      waiting += shard.waiting;
      unacked += shard.unacked;
      if (!shard.up) down++;
    }
    return { restarts, waiting, unacked, down };
  }

  #at(place: Place): Shard {
    const shard = this.#shards[this.shardOf(place)];
    if (shard === undefined) throw new RangeError("no shard has this number");
    return shard;
  }

  /** Shards that can hold objects of the cluster. */
  #of(cluster: string): readonly Shard[] {
    return this.#parts.options.by === "cluster"
      ? [this.#at({ cluster, kind: "pod", namespace: "", name: "" })]
      : this.#shards;
  }
}
