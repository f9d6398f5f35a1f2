import type { Identity, JsonObject, MemberCluster, UpstreamNode } from "../apisix/types.ts";
import type { LocalCounts } from "../shard/change.ts";
import type { Member } from "./member.ts";
import { Members } from "./members.ts";
import type { Settings } from "./settings.ts";

/** The declarations that are one route together, and what the shard remembers of what stands for them. */
export interface Group {
  readonly id: string;
  readonly identity: Identity;
  readonly members: Members;
  /** Settings that are known to stand in APISIX; undefined until they were written or found there. */
  accepted: Settings | undefined;
  /** What stands in APISIX, read because settings are frozen or nodes are kept. */
  kept: Kept | undefined;
  /** Nodes that stood for a cluster when it went out of sight: by cluster, in a fleet group. */
  held: ReadonlyMap<string, readonly UpstreamNode[]>;
  /** The last member left because its annotation no longer declares this route. */
  undeclared: boolean;
  /** Takes over pairs of a route that the same object declared until now. */
  inherits: boolean;
}

interface Kept {
  readonly upstream: JsonObject | null;
  readonly route: JsonObject | null;
}

/** What stands in APISIX under a group's id. */
export interface Stands {
  readonly upstream: boolean;
  readonly route: boolean;
  /** Clusters that have, or may have, a part in what stands; empty but for fleet groups. */
  readonly members: readonly MemberCluster[];
}

/** Which clusters' identities the upstream names. */
export interface Owners {
  /** Those that are seen to have a member. */
  readonly seen: readonly string[];
  /** Those that are out of sight, as what stands names them. */
  readonly lost: readonly MemberCluster[];
}

/** What a group means now. `missing`: nothing may be written before what stands has been read. */
export type View = { readonly counts: LocalCounts; readonly reason: string } & (
  | { readonly type: "absent"; readonly grace: boolean; readonly cause: Cause }
  | { readonly type: "nothing" }
  | { readonly type: "untouched" }
  | {
      readonly type: "frozen";
      /** Undefined until it is known. */
      readonly basis: Basis | undefined;
      readonly nodes: readonly UpstreamNode[];
      /** There are none, because all that a member's nodes are read from is gone. */
      readonly bare: boolean;
      /** What is seen of it is gone, or forbidden, and gives none: they are those of clusters out of sight alone. */
      readonly onlyLost: boolean;
      readonly owners: Owners;
      readonly missing: boolean;
    }
  | {
      readonly type: "live";
      readonly setter: Member;
      readonly settings: Settings;
      readonly nodes: readonly UpstreamNode[];
      /** There are none, because all that a member's nodes are read from is gone. */
      readonly bare: boolean;
      readonly owners: Owners;
      readonly missing: boolean;
    }
);

type Cause = "gone" | "undeclared" | "forbidden" | "purged";

/** Settings that stay in force while nobody sets the spec: those last accepted, or the upstream's body as it was read. */
export type Basis =
  | { readonly from: "settings"; readonly settings: Settings }
  | { readonly from: "upstream"; readonly upstream: JsonObject };

/** Of almost every group: only a few are fleet groups with a cluster that is out of sight. */
const noneHeld: Group["held"] = new Map();

export function newGroup(id: string, identity: Identity): Group {
  return {
    id,
    identity,
    members: new Members(),
    accepted: undefined,
    kept: undefined,
    held: noneHeld,
    undeclared: false,
    inherits: false,
  };
}

/** What is remembered of what stands may be old: it is read before anything is written. */
export function forgetStanding(group: Group): void {
  group.accepted = undefined;
  group.kept = undefined;
  group.held = noneHeld;
}

export function holdNodes(group: Group, cluster: string, nodes: readonly UpstreamNode[]): void {
  group.held = new Map(group.held).set(cluster, nodes);
}

export function letNodesGo(group: Group | undefined, cluster: string): void {
  if (group?.held.has(cluster) !== true) return;
  const held = new Map(group.held);
  held.delete(cluster);
  group.held = held.size === 0 ? noneHeld : held;
}
