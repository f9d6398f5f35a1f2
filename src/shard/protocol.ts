import type { Identity, JsonObject, MemberCluster, Resource, Standing } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import type { Kept } from "../filter/kept.ts";
import type { Kind } from "../watch/events.ts";
import type { Change, LocalState } from "./change.ts";

/**
 * Every message between the main thread and a shard. The main thread sends keys and facts, the shard answers with what
 * they mean. A message carries its shard's epoch in the envelope; one of another epoch is dropped unread. Order is kept
 * in both directions.
 */

/** What a shard needs to know before its first message. */
export interface ShardOptions extends Configured {
  readonly shard: number;
}

/** What translation depends on of the configuration; `clusters` and what comes from the policy may change at any time. */
export interface Configured {
  readonly instance: string;
  readonly clusters: readonly ClusterOptions[];
  /** Text of `defaults.host`; absent: a host is required. */
  readonly defaultHost?: string;
  readonly defaultUri: string;
  /** `policy.plugins`. */
  readonly plugins: readonly string[];
  /** `policy.hosts`; absent or empty: everybody may claim every host. */
  readonly hosts?: readonly HostRule[];
  /** `nodePort` of the configuration. */
  readonly nodePort: { readonly maxNodes: number; readonly address: "InternalIP" | "ExternalIP" };
  /** `shards.by: cluster` refuses `share: fleet`. */
  readonly by: "service" | "cluster";
}

/** Glob patterns; absent: all clusters, all namespaces. */
export interface HostRule {
  readonly clusters?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly hosts: readonly string[];
}

interface ClusterOptions {
  readonly name: string;
  readonly addressFamily: "IPv4" | "IPv6" | "dual";
  readonly weight: number;
  /** Those that are listed; absent or empty: all. What belongs to others is not spoken of. */
  readonly namespaces?: readonly string[];
}

/**
 * What stands in APISIX under one id; a resource that is absent does not stand. A route that may still come to stand, for
 * a write of it had no answer, is not absent: its digest is `""`.
 */
export interface Known {
  readonly id: string;
  readonly identity: Identity;
  /** Clusters that have, or may have, a part in the upstream that stands: of a fleet group alone. */
  readonly members?: readonly MemberCluster[];
  readonly upstream?: Standing;
  readonly route?: Standing;
  /** Nothing was found to stand, but a write of the upstream that had no answer may still be applied. */
  readonly mayCome?: true;
}

export type ToShard =
  /**
   * Changes of objects, oldest first. Answered by `done` with the same `seq`. `bodies`: how many requests are free now, so
   * that so many bodies may come with the answer, unasked.
   */
  | {
      readonly type: "batch";
      readonly seq: number;
      readonly entries: readonly Kept<Uint8Array>[];
      readonly bodies?: number;
    }
  /** The cluster's identity is known (uid of `kube-system`); comes before its first object. */
  | { readonly type: "cluster"; readonly cluster: string; readonly uid: string }
  /**
   * The configuration has changed. Objects of clusters that it does not name are not translated any more, and what
   * stands for them stays as it is; `instance` and `by` stay as they are. What it changes is said.
   */
  | { readonly type: "configure"; readonly options: Configured }
  /**
   * Every object of this kind in this cluster has been sent: what is not held does not exist. Answered by `settled`.
   * Until then, and after `unsettle`, nothing that depends on the kind is announced.
   */
  | { readonly type: "settle"; readonly cluster: string; readonly kind: Kind; readonly token: number }
  /**
   * A new list of a settled kind takes objects away. Until it is settled again, what fleet groups have of the cluster stands
   * as it is: it is not known yet whether all of it may go.
   */
  | { readonly type: "doubt"; readonly cluster: string; readonly kind: Kind }
  /** The guard lets a part go that was told of by `parts`. */
  | { readonly type: "letGo"; readonly id: string; readonly cluster: string }
  /** What the kind holds is unknown from now on; also said of one that was never settled, when it is not waited for any more. */
  | { readonly type: "unsettle"; readonly cluster: string; readonly kind: Kind }
  /**
   * The cluster is gone for good, until it is settled again: everything of it goes, and its part of fleet groups. Said
   * only of a cluster of which nothing is settled.
   */
  | { readonly type: "purge"; readonly cluster: string }
  /** What stands under these ids now: after a look at APISIX or an answered write. Replaces what was known of them. */
  | { readonly type: "known"; readonly entries: readonly Known[] }
  /** Ids of this shard that no longer stand in APISIX at all, nor may stand. */
  | { readonly type: "forget"; readonly ids: readonly string[] }
  /**
   * A credit: the writer will write this resource now. For a route, `pairs` are those that were granted. Answered by
   * `body`, `same` or `stale`.
   */
  | {
      readonly type: "want";
      readonly id: string;
      readonly resource: Resource;
      readonly pairs?: readonly Pair[];
    }
  /** Answer to `need`: the objects as read from APISIX just now; null where absent. */
  | {
      readonly type: "kept";
      readonly id: string;
      readonly upstream: JsonObject | null;
      readonly route: JsonObject | null;
    }
  | { readonly type: "explain"; readonly token: number; readonly query: ExplainQuery };

export type FromShard =
  | { readonly type: "ready" }
  /** `bodies`: of upstreams among the changes, for which the writer need not ask; as if answers to a `want`. */
  | {
      readonly type: "done";
      readonly seq: number;
      readonly changes: readonly Change[];
      readonly bodies?: readonly BuiltBody[];
    }
  /** Changes that no batch caused: after `known`, `kept`, `cluster`, `configure`, `unsettle`, `purge`. */
  | { readonly type: "changes"; readonly changes: readonly Change[] }
  | { readonly type: "settled"; readonly token: number; readonly changes: readonly Change[] }
  | BuiltBody
  /** What stands is what should stand: nothing to write. */
  | { readonly type: "same"; readonly id: string; readonly resource: Resource }
  /** The group has changed since it was announced (other pairs, gone, frozen): a fresh `Change` has been sent. */
  | { readonly type: "stale"; readonly id: string; readonly resource: Resource }
  /** The shard needs what stands in APISIX under this id: settings that are frozen, nodes that are kept. */
  | { readonly type: "need"; readonly id: string; readonly identity: Identity }
  /** Parts of fleet groups that a list takes away, before its `settled`; and those that are there again, or do not stand any more. */
  | { readonly type: "parts"; readonly parts: readonly GonePart[] }
  /** Whether some group of this shard has the cluster's Nodes for nodes; said when it becomes so or ceases to be. */
  | { readonly type: "nodes"; readonly cluster: string; readonly isWanted: boolean }
  | { readonly type: "explained"; readonly token: number; readonly declarations: readonly Explained[] };

/**
 * What a cluster has in a fleet group that others have a part in too. `isGone`: its list came without it, and it stands
 * until the guard lets it go.
 */
export interface GonePart {
  readonly id: string;
  readonly cluster: string;
  readonly isGone: boolean;
}

/** The request body, canonical JSON with its digest label. `pairs` for routes. */
export interface BuiltBody {
  readonly type: "body";
  readonly id: string;
  readonly resource: Resource;
  readonly body: string;
  readonly digest: string;
  readonly pairs?: readonly Pair[];
  /** Nodes in an upstream's body. */
  readonly nodes?: number;
  /** Clusters that a fleet group's upstream names. */
  readonly members?: readonly MemberCluster[];
}

export type ExplainQuery =
  | {
      readonly by: "object";
      readonly cluster: string;
      readonly kind: "pod" | "service";
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly by: "ids"; readonly ids: readonly string[] }
  /** Every declaration that is not routed as it says, for `plan`. */
  | { readonly by: "problems" };

/** One declaration as the shard sees it; the main thread adds what it knows. */
export interface Explained {
  readonly cluster: string;
  readonly kind: "pod" | "service";
  readonly namespace: string;
  readonly name: string;
  /** `""` where the annotation or the name cannot be read. */
  readonly route: string;
  readonly state: LocalState;
  readonly reason: string;
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  /** `""` where it has none. */
  readonly id: string;
  /** Nodes that this declaration gives; absent where that is known by what stands in APISIX alone. */
  readonly nodes?: number;
}
