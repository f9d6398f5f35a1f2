import { contentOf, sealed } from "../apisix/canonical.ts";
import { labelsOf } from "../apisix/identity.ts";
import { memberLabelPrefix, selectLabel, uidLabel } from "../apisix/labels.ts";
import type { Identity, JsonObject, UpstreamNode } from "../apisix/types.ts";
import type { Basis, Group, Owners, View } from "./group.ts";
import type { Settings } from "./settings.ts";
import { selectLabelOf } from "./settings.ts";

/** A request body: canonical JSON with its digest label, serialised once. */
export interface Body {
  readonly text: string;
  readonly digest: string;
  /** Of what stands, with other nodes at most: whoever edited that is followed. */
  readonly isAsFound?: true;
}

const nameLimit = 256;

/** What people see in APISIX: `cluster/namespace/name/route`, without what the identity lacks. */
function titleOf(identity: Identity): string {
  return [identity.cluster, identity.namespace, identity.name, identity.route]
    .filter((part) => part !== "")
    .join("/")
    .slice(0, nameLimit);
}

export function routeBody(instance: string, group: Group, settings: Settings): Body {
  const title = titleOf(group.identity);
  return sealed({
    ...settings.route,
    name: title,
    desc: title,
    upstream_id: group.id,
    labels: labelsOf(instance, group.identity),
  });
}

/** The upstream of a live or frozen view; `uids` are those of the clusters' `kube-system` namespaces. */
export function upstreamBody(
  instance: string,
  group: Group,
  view: Extract<View, { type: "live" | "frozen" }>,
  nodes: readonly UpstreamNode[],
  uids: ReadonlyMap<string, string>,
): Body | undefined {
  const basis: Basis | undefined =
    view.type === "live" ? { from: "settings", settings: view.settings } : view.basis;
  if (basis === undefined) return undefined;
  const members = memberLabels(group, view.owners, uids);
  const list = nodes.map((node): JsonObject => ({ ...node }) as JsonObject);
  if (basis.from === "upstream") {
    const { upstream } = basis;
    const labels = relabelled(upstream, members);
    return { ...sealed({ ...contentOf(upstream), nodes: list, labels }), isAsFound: true };
  }
  const title = titleOf(group.identity);
  return sealed({
    ...basis.settings.upstream,
    name: title,
    desc: title,
    nodes: list,
    labels: {
      ...labelsOf(instance, group.identity),
      ...members,
      [selectLabel]: selectLabelOf(basis.settings.selection),
    },
  });
}

/** Labels that say whose the upstream is; `uids` are those of clusters that are seen. */
export function memberLabels(
  { identity, members }: Group,
  { seen, lost }: Owners,
  uids: ReadonlyMap<string, string>,
): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const cluster of seen) {
    const uid = uids.get(cluster);
    if (uid !== undefined) labels[`${memberLabelPrefix}${cluster}`] = uid;
  }
  for (const [cluster, uid] of lost) if (uid !== "") labels[`${memberLabelPrefix}${cluster}`] = uid;
  if (identity.share === "none") for (const { object } of members.values()) labels[uidLabel] = object.uid;
  return labels;
}

/** The labels as they stand, with those of the members as they are now. */
function relabelled({ labels }: JsonObject, members: Record<string, string>): JsonObject {
  const standing = typeof labels === "object" && labels !== null && !Array.isArray(labels) ? labels : {};
  const others = Object.entries(standing as JsonObject).filter(
    ([label]) => !label.startsWith(memberLabelPrefix),
  );
  return { ...Object.fromEntries(others), ...members };
}
