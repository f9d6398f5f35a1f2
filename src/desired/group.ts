import type { Identity, JsonObject, UpstreamNode } from "../apisix/types.ts";
import type { LocalCounts, LocalState } from "../shard/protocol.ts";
import type { SourceObject } from "../store/projection.ts";
import type { Translation } from "./context.ts";
import { keptNodes, keptSelection } from "./kept.ts";
import type { Member } from "./member.ts";
import { compareMembers } from "./member.ts";
import type { NodeContext } from "./pod-nodes.ts";
import type { Selection, Settings } from "./settings.ts";
import { rowOf } from "./source-rows.ts";

/** The declarations that are one route together, and what the shard remembers of what stands for them. */
export interface Group {
  readonly id: string;
  readonly identity: Identity;
  /** By key of the source. */
  readonly members: Map<string, Member>;
  /** Settings that are known to stand in APISIX; undefined until they were written or found there. */
  accepted: Settings | undefined;
  /** What stands in APISIX, read because settings are frozen or nodes are kept. */
  kept: Kept | undefined;
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
}

/**
 * What a group means now. `missing`: nothing may be written before what stands has been read. `bare`: it has no nodes, and
 * all that those of some member were read from is gone.
 */
export type View = { readonly counts: LocalCounts; readonly reason: string } & (
  | { readonly type: "absent"; readonly grace: boolean; readonly cause: "gone" | "undeclared" | "forbidden" }
  | { readonly type: "nothing" }
  | { readonly type: "untouched" }
  | {
      readonly type: "frozen";
      /** Undefined until it is known. */
      readonly basis: Basis | undefined;
      readonly nodes: readonly UpstreamNode[];
      readonly missing: boolean;
      readonly bare: boolean;
    }
  | {
      readonly type: "live";
      readonly setter: Member;
      readonly settings: Settings;
      readonly nodes: readonly UpstreamNode[];
      readonly missing: boolean;
      readonly bare: boolean;
    }
);

/** Settings that stay in force while nobody sets the spec: those last accepted, or the upstream's body as it was read. */
export type Basis =
  | { readonly from: "settings"; readonly settings: Settings }
  | { readonly from: "upstream"; readonly upstream: JsonObject };

export function newGroup(id: string, identity: Identity): Group {
  return {
    id,
    identity,
    members: new Map(),
    accepted: undefined,
    kept: undefined,
    undeclared: false,
    inherits: false,
  };
}

/** PRODUCT.md, "Groups", "Which nodes" and "Where a declaration stands". Pure. */
export function viewGroup(group: Group, stands: Stands, translation: Translation): View {
  const members = [...group.members.values()].sort(compareMembers);
  if (members.length === 0) {
    const cause = group.undeclared ? "undeclared" : "gone";
    return { type: "absent", grace: !group.undeclared, cause, counts: {}, reason: "" };
  }
  const anything = stands.upstream || stands.route;
  const setter = setterOf(members, anything);
  const settings = setter?.paused === false ? setter.settings : undefined;
  const states = members.map((member) => stateOf(member, settings));
  const about = { counts: countsOf(members, states), reason: reasonOf(members, states) };
  if (group.identity.share === "none" && members[0]?.paused) {
    return { type: anything ? "untouched" : "nothing", ...about };
  }
  if (members.every((member) => member.state === "Forbidden" && member.paused === false)) {
    if (anything) return { type: "absent", grace: false, cause: "forbidden", ...about };
    return { type: "nothing", ...about };
  }
  if (settings === undefined && !anything) return { type: "nothing", ...about };
  const union = unionOf(group, members, settings, translation);
  if (setter !== undefined && settings !== undefined) {
    return { type: "live", setter, settings, ...union, ...about };
  }
  const basis = basisOf(group);
  const missing = union.missing || (basis === undefined && !isRead(group, stands));
  return { type: "frozen", basis, ...union, missing, ...about };
}

/** Whether what is to be kept has been read since it came to stand. */
function isRead({ kept }: Group, stands: Stands): boolean {
  return kept !== undefined && (kept.upstream !== null || !stands.upstream);
}

function basisOf(group: Group): Basis | undefined {
  if (group.accepted !== undefined) return { from: "settings", settings: group.accepted };
  const upstream = group.kept?.upstream;
  return upstream === undefined || upstream === null ? undefined : { from: "upstream", upstream };
}

/**
 * The oldest member that counts. A paused one keeps what stands as it is; where nothing stands there is nothing to
 * keep, and the next one counts.
 */
function setterOf(members: readonly Member[], anything: boolean): Member | undefined {
  return members.find(
    (member) => member.state === "Valid" && isLiving(member.object) && (anything || member.paused === false),
  );
}

function isLiving(object: SourceObject): boolean {
  return rowOf(object).isLiving(object);
}

function stateOf(member: Member, settings: Settings | undefined): LocalState {
  if (member.paused !== false) return "Paused";
  if (member.state !== "Valid") return member.state;
  if (settings === undefined || member.settings?.key === settings.key) return "Valid";
  return "SpecMismatch";
}

function countsOf(members: readonly Member[], states: readonly LocalState[]): LocalCounts {
  const counts: Partial<Record<LocalState, number>> = {};
  members.forEach((member, index) => {
    const state = states[index];
    if (member.counted && state !== undefined) counts[state] = (counts[state] ?? 0) + 1;
  });
  return counts;
}

/** The first problem, oldest member first; the others are told by `explain`. */
function reasonOf(members: readonly Member[], states: readonly LocalState[]): string {
  const index = states.findIndex((state) => state !== "Valid");
  const member = members[index];
  const state = states[index];
  if (member === undefined || state === undefined) return "";
  const { kind, namespace, name } = member.object;
  return `${member.cluster}/${namespace}/${kind}/${name}: ${memberReason(member, state)}`;
}

/** One sentence on a member's state. */
export function memberReason(member: Member, state: LocalState): string {
  if (state === "Paused") return "paused by its annotation: nothing of it is changed";
  if (state === "SpecMismatch")
    return "differs from the oldest member of its group, which sets the route and the upstream";
  return member.reason;
}

/** The state of one member within its group, for `explain`. */
export function memberState(group: Group, member: Member, stands: Stands): LocalState {
  const members = [...group.members.values()].sort(compareMembers);
  const setter = setterOf(members, stands.upstream || stands.route);
  return stateOf(member, setter?.paused === false ? setter.settings : undefined);
}

interface Union {
  readonly nodes: readonly UpstreamNode[];
  readonly missing: boolean;
  readonly bare: boolean;
}

/** The nodes of all members, one for each `host:port`, sorted. */
function unionOf(
  group: Group,
  members: readonly Member[],
  settings: Settings | undefined,
  translation: Translation,
): Union {
  const union = new Map<string, UpstreamNode>();
  let missing = false;
  for (const member of members) {
    const nodes = nodesOf(group, member, settings, translation);
    if (nodes === "unknown") missing = true;
    else for (const node of nodes) addNode(union, node);
  }
  const bare = union.size === 0 && members.some((member) => isBare(group, member, settings, translation));
  return { nodes: [...union.values()].sort(compareNodes), missing, bare };
}

function isBare(
  group: Group,
  member: Member,
  settings: Settings | undefined,
  translation: Translation,
): boolean {
  if (member.paused !== false || member.state === "Forbidden") return false;
  const selection = selectionOf(group, member, settings);
  if (selection === undefined || selection === "unknown") return false;
  const context = contextOf(group, member, translation);
  return context !== undefined && rowOf(member.object).isBare(member.object, selection, context);
}

function contextOf(
  group: Group,
  { cluster: name }: Member,
  translation: Translation,
): NodeContext | undefined {
  const cluster = translation.clusters.get(name);
  if (cluster === undefined) return undefined;
  const { nodePort, feeds } = translation;
  return { ...cluster, cluster: name, owned: group.identity.share !== "none", nodePort, feeds };
}

/** The nodes that one member gives to its group; `unknown` until what stands has been read. */
export function nodesOf(
  group: Group,
  member: Member,
  settings: Settings | undefined,
  translation: Translation,
): readonly UpstreamNode[] | "unknown" {
  if (member.paused !== false) {
    if (member.paused.nodes !== "unknown") return member.paused.nodes;
    if (group.kept === undefined) return "unknown";
    const { name } = member.object;
    return keptNodes(
      group.kept.upstream,
      member.cluster,
      rowOf(member.object).isSharedByName ? undefined : name,
    );
  }
  if (member.state === "Forbidden") return [];
  const scheme = settings?.scheme ?? group.accepted?.scheme;
  if (member.settings !== undefined && scheme !== undefined && member.settings.scheme !== scheme) return [];
  const selection = selectionOf(group, member, settings);
  if (selection === "unknown") return "unknown";
  const context = contextOf(group, member, translation);
  if (selection === undefined || context === undefined) return [];
  return rowOf(member.object).nodesOf(member.object, selection, context);
}

/** Clusters whose Nodes are nodes of the group (`via: nodePort`), while `settings` are in force. */
export function nodeClustersOf(group: Group, settings: Settings | undefined): string[] {
  if (group.identity.kind === "pod") return [];
  const members = [...group.members.values()].filter((member) => {
    if (member.paused !== false || member.state === "Forbidden") return false;
    const selection = selectionOf(group, member, settings);
    return selection !== undefined && selection !== "unknown" && selection.via === "nodePort";
  });
  return members.map(({ cluster }) => cluster);
}

/**
 * Own settings; for an invalid member the group's, as last accepted: what the upstream's label says, so that a new leader
 * follows the same nodes (PRODUCT.md, "Grammar").
 */
function selectionOf(
  group: Group,
  member: Member,
  settings: Settings | undefined,
): Selection | undefined | "unknown" {
  const known = member.settings?.selection ?? settings?.selection ?? group.accepted?.selection;
  if (known !== undefined) return known;
  return group.kept === undefined ? "unknown" : keptSelection(group.kept.upstream);
}

function addNode(union: Map<string, UpstreamNode>, node: UpstreamNode): void {
  const key = `${node.host} ${node.port}`;
  const other = union.get(key);
  if (other === undefined || ownerOf(node) < ownerOf(other)) union.set(key, node);
}

function ownerOf(node: UpstreamNode): string {
  return `${node.metadata?.cluster ?? ""} ${node.metadata?.name ?? ""}`;
}

function compareNodes(a: UpstreamNode, b: UpstreamNode): number {
  return a.host < b.host ? -1 : a.host > b.host ? 1 : a.port - b.port;
}
