import type { Identity, JsonObject, Resource } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import type { FromShard, Known } from "../shard/protocol.ts";

export type Wanted = Extract<FromShard, { type: "body" | "same" | "stale" }>;

/** What the writer says to the shards; each id belongs to the shard that its identity names. */
export interface ShardPort {
  /** Resolves `stale` when the shard is lost meanwhile. */
  want(identity: Identity, id: string, resource: Resource, pairs?: readonly Pair[]): Promise<Wanted>;
  known(entry: Known): void;
  forget(identity: Identity, id: string): void;
  kept(identity: Identity, id: string, upstream: JsonObject | null, route: JsonObject | null): void;
  /** The part of this cluster in a fleet group may go. */
  letGo(identity: Identity, id: string, cluster: string): void;
}
