import type { UpstreamNode } from "../apisix/types.ts";
import type { Translation } from "./context.ts";
import type { Group } from "./group.ts";
import { keptNodes, keptNodesOf, keptScheme, keptSelection } from "./kept.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import type { Member } from "./member.ts";
import type { NodeContext } from "./pod-nodes.ts";
import type { Selection, Settings } from "./settings.ts";
import { rowOf } from "./source-rows.ts";

interface Union {
  readonly nodes: readonly UpstreamNode[];
  /** Some of it is unknown until what stands has been read. */
  readonly missing: boolean;
  /**
   * There are none, because all that a member's nodes are read from is gone, or policy forbids all members, or a part went
   * beside which none is left that could give any.
   */
  readonly bare: boolean;
  /** What is seen is gone, or forbidden, and gives none: they are those of clusters out of sight. */
  readonly onlyLost: boolean;
}

interface Givers {
  readonly members: readonly Member[];
  /** Clusters whose nodes are kept as they stand. */
  readonly lost: readonly string[];
  /** Whether the part of a cluster that is seen has gone. */
  readonly lacksPart: () => boolean;
  readonly settings: Settings | undefined;
  readonly translation: Translation;
}

/** The nodes of all members, one for each `host:port`, sorted. */
export function unionOf(group: Group, { members, lost, lacksPart, settings, translation }: Givers): Union {
  const union = new Map<string, UpstreamNode>();
  let missing = false;
  const add = (nodes: readonly UpstreamNode[] | "unknown"): void => {
    if (nodes === "unknown") missing = true;
    else for (const node of nodes) addNode(union, node);
  };
  for (const member of members) add(nodesOf(group, member, settings, translation));
  const isGone = (): boolean =>
    isAllForbidden(members) ||
    members.some((member) => isBare(group, member, settings, translation)) ||
    (members.every((member) => isDrained(member, translation)) && lacksPart());
  const onlyLost = lost.length > 0 && union.size === 0 && (members.length === 0 || isGone());
  for (const cluster of lost) add(lostNodes(group, cluster, translation));
  const bare = union.size === 0 && isGone();
  return { nodes: [...union.values()].sort(compareNodes), missing, bare, onlyLost };
}

/**
 * Whether a cluster that has a part in the group has nothing left of it: no member, or none of whose nodes' sources
 * anything is left.
 */
export function isPartGone(group: Group, cluster: string, translation: Translation): boolean {
  const members = [...group.members.values()].filter((member) => member.cluster === cluster);
  return members.every((member) => isBare(group, member, undefined, translation));
}

/** Policy takes all that is seen of the group. */
function isAllForbidden(members: readonly Member[]): boolean {
  const isForbidden = ({ state, paused }: Member): boolean => state === "Forbidden" && paused === false;
  return members.length > 0 && members.every(isForbidden);
}

/** Its operator takes its nodes out: with or without it, the group has no more. */
function isDrained({ cluster }: Member, { clusters }: Translation): boolean {
  return clusters.get(cluster)?.weight === 0;
}

function isBare(
  group: Group,
  member: Member,
  settings: Settings | undefined,
  translation: Translation,
): boolean {
  if (member.paused !== false || member.state === "Forbidden" || member.mayBe === true) return false;
  const selection = selectionOf(group, member, settings);
  if (selection === undefined || selection === "unknown") return false;
  const context = contextOf(group, member, translation);
  return context !== undefined && rowOf(member.object).isBare(member.object, selection, context);
}

/** A clause for a member that gives no nodes though nothing is wrong with its declaration; `""`: nothing worth a word. */
export function whyNoNodes(group: Group, member: Member, translation: Translation): string {
  const selection = selectionOf(group, member, undefined);
  const context = contextOf(group, member, translation);
  if (selection === undefined || selection === "unknown" || context === undefined) return "";
  return rowOf(member.object).whyNoNodes(member.object, selection, context);
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
    const { kind, name } = member.object;
    return keptNodes(group.kept.upstream, member.cluster, sourceKinds[kind].sharedByName ? undefined : name);
  }
  if (member.state === "Forbidden" || member.mayBe === true) return [];
  const scheme = settings?.scheme ?? group.accepted?.scheme ?? keptScheme(group.kept?.upstream ?? null);
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
 * The part of a cluster that is out of sight, as it stood. Its weight is the operator's all the same: 0 takes the nodes
 * out (PRODUCT.md, "Groups").
 */
function lostNodes(
  group: Group,
  cluster: string,
  translation: Translation,
): readonly UpstreamNode[] | "unknown" {
  const weight = translation.clusters.get(cluster)?.weight;
  if (weight === 0) return [];
  const held = group.held.get(cluster);
  if (held === undefined && group.kept === undefined) return "unknown";
  const nodes = held ?? keptNodesOf(group.kept?.upstream ?? null, cluster);
  return weight === undefined
    ? nodes
    : nodes.map((node) => (node.weight === weight ? node : { ...node, weight }));
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
