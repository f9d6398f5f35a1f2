import type { Identity } from "../../../src/apisix/types.ts";
import type { SourceFacts } from "../oracle/declared.ts";
import { nodesOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { Meaning } from "../truth-history.ts";

/** Whether what stands was asked for at one moment. */

export type Owners = ReadonlySet<string> | undefined;

/** `cluster/name` of Pods whose nodes stand; undefined for the group of one Pod, and for Services: their nodes name none. */
export function ownersIn({ kind, share }: Identity, upstream: Body): Owners {
  if (share === "none" || kind === "service") return undefined;
  const owners = nodesOf(upstream).flatMap(({ metadata: { cluster = "", name } = {} }) =>
    name === undefined ? [] : `${cluster}/${name}`,
  );
  return new Set(owners);
}

/**
 * Whether nothing of the group may stand. A Pod whose annotation cannot be read any more keeps what it had; in a group
 * that several share, by a node of its own, for nothing else says after a restart that it belongs there;
 * that of another cluster's Pod of the same name does not.
 */
export function isAbsent({ groups, kept }: Meaning, id: string, owners: Owners): boolean {
  if (groups.has(id)) return false;
  return (kept.get(id) ?? []).every(({ cluster, name }) => owners?.has(`${cluster}/${name}`) === false);
}

/** Another cluster's member may set another scheme than this part's: then its nodes have to go. */
export function isOfOtherScheme({ groups }: Meaning, id: string, upstream: Body): boolean {
  const group = groups.get(id);
  return group?.identity.share === "fleet" && group.upstream["scheme"] !== upstream["scheme"];
}

/** What chooses the nodes of an Invalid declaration, as the upstream says: `port,via,ready` (PRODUCT.md, "Groups"). */
export function selectionOf({ labels }: Body): string | undefined {
  return (labels as Readonly<Record<string, string>> | undefined)?.["translator/select"];
}

export type Via = "endpoint" | "nodePort";

export function viaOf(selection: string | undefined): Via | undefined {
  const via = selection?.split(",")[1];
  return via === "endpoint" || via === "nodePort" ? via : undefined;
}

/** Whether a Pod whose declaration is no good gives a node, by what chose them last. */
export function isGiven({ ip, living, pending, ready }: SourceFacts, selection: string | undefined): boolean {
  return ip !== undefined && living && !pending && (ready || selection?.split(",")[2] === "all");
}

/**
 * A Service has a part in the group though nothing declares it by name, for its annotation cannot be read: what chooses its
 * nodes is the upstream's label alone, and once that goes by Nodes its endpoints are none.
 */
export function isUnnamed({ groups, kept }: Meaning, id: string): boolean {
  return !groups.has(id) && (kept.get(id) ?? []).some(({ endpoints }) => endpoints !== undefined);
}

/** No address of a Node is asked for. `isByEndpoints`: nor by an Invalid declaration. */
export function isOffNodes({ groups }: Meaning, id: string, isByEndpoints: boolean): boolean {
  const onNodes = groups.get(id)?.onNodes ?? false;
  return onNodes === false || (onNodes === "selected" && isByEndpoints);
}

export function isDeclared({ groups }: Meaning, id: string): boolean {
  const group = groups.get(id);
  return group !== undefined && (group.state === "live" || group.refused);
}

export function wants(meaning: Meaning, id: string, owners: Owners, pair: string): boolean {
  const group = meaning.groups.get(id);
  if (group === undefined) return !isAbsent(meaning, id, owners);
  return (group.state !== "live" && !group.refused) || group.pairs.includes(pair);
}

function isSurely({ endpoints, ip, ready, living }: SourceFacts, host: string): boolean {
  if (endpoints !== undefined) return endpoints.some(({ address, rank }) => address === host && rank === 3);
  return ip === host && ready && living;
}

/** `others`: addresses that stay, by whatever port; `hasGiven`: whether the paused Pod with this uid gave it before. */
export function needs(
  { groups, kept }: Meaning,
  id: string,
  host: string,
  port: number,
  others: ReadonlySet<string>,
  hasGiven: (uid: string) => boolean,
): boolean {
  const group = groups.get(id);
  if (group === undefined)
    return (kept.get(id) ?? []).some((source) => isSurely(source, host) && !others.has(host));
  if (hasGiven(group.pausedIps.get(host) ?? "")) return true;
  if (group.mustIps.has(host)) return !others.has(host);
  if (group.mayIps.has(host)) return false;
  return [...group.nodes].some((node) => node.startsWith(`${host}:${port} `));
}
