import type { Identity } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";

/**
 * The shard's word on one group, whole: it replaces every earlier word on that id. `at` is when the oldest event behind
 * it was read (`Clock.now()` of the main thread), absent where no event caused it.
 */
export interface Change {
  readonly id: string;
  readonly identity: Identity;
  readonly at?: number;
  readonly counts: LocalCounts;
  /** Why, for everything but `live` without problems: one sentence. */
  readonly reason?: string;
  /**
   * Of the main thread: `policy.maxRoutesPerNamespace` keeps the group out, whatever its members are by themselves, and
   * these are the pairs that it would want.
   */
  readonly limited?: readonly Pair[];
  /** Clusters whose Nodes are nodes of the group (`via: nodePort`): it rests on them besides. */
  readonly nodeClusters?: readonly string[];
  readonly stand: Stand;
}

export type Stand =
  /** Declared and valid: wants these pairs and this content. */
  | {
      readonly type: "live";
      readonly age: Age;
      readonly pairs: readonly Pair[];
      /** Takes over pairs from a route that the same object declared until now: goes ahead of challengers. */
      readonly inherits: boolean;
      readonly nodes: number;
      /** No nodes, because all that they were read from (slices, Nodes) is gone: to empty the upstream is to take away. */
      readonly bare: boolean;
      /** Whether the content may differ from what stands. */
      readonly upstream: boolean;
      readonly route: boolean;
    }
  /**
   * Settings frozen (Invalid, nobody sets the spec, or a member cluster is out of sight): the route is as it stands and
   * holds its pairs; nodes are followed.
   */
  | {
      readonly type: "frozen";
      readonly nodes: number;
      readonly bare: boolean;
      /** What is seen of it is gone, or forbidden, and gives no nodes: it stands for clusters out of sight alone. */
      readonly onlyLost?: true;
      readonly upstream: boolean;
    }
  /** Paused: nothing is written at all. */
  | { readonly type: "untouched" }
  /** Declared, cannot be routed, and nothing of it stands (Invalid or Forbidden from the start). */
  | { readonly type: "nothing" }
  /**
   * Nothing declares it any more. `grace`: its object went (empty now, delete later); otherwise the declaration was taken
   * out. `purged`: an operator wants it gone, whatever the guard would say.
   */
  | {
      readonly type: "absent";
      readonly grace: boolean;
      readonly cause: "gone" | "undeclared" | "forbidden" | "purged";
    };

/** When a group came to be, and the tie-break: compared by created, then cluster, namespace, name, bytewise. */
export interface Age {
  readonly created: number;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a declaration is by itself, before claims and writes: the rest of its state is known to the main thread. */
export type LocalState =
  | "Valid"
  | "Invalid"
  | "Forbidden"
  | "SpecMismatch"
  | "Paused"
  /** Valid, but nobody sets its group's settings, and those that stand are not known, or not all of them stand. */
  | "Unclear"
  /** One of a fleet group's, in a cluster that is out of sight; or a part that a list took away, and that stands. */
  | "Unseen";

export type LocalCounts = Readonly<Partial<Record<LocalState, number>>>;
