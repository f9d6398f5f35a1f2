import type { Group, Stands, View } from "../desired/group.ts";
import { undeclaredParts } from "../desired/member-state.ts";
import type { Change, LocalCounts, Stand } from "../shard/change.ts";
import type { Tracked } from "./tracked.ts";

/** What the group rests on besides its members. */
interface Rests {
  readonly nodeClusters: readonly string[];
  readonly heldParts: readonly string[];
}

/** The shard's word on a group, from what it means and what is known of its content. */
export function changeOf(
  group: Group,
  view: View,
  tracked: Tracked,
  stands: Stands,
  { nodeClusters, heldParts }: Rests,
): Change {
  const { id, identity, members } = group;
  const { at, oversize } = tracked;
  const tooBig = `the upstream has ${oversize} nodes, more than fit into a body of 1 MiB: none is added`;
  const reason = oversize === undefined ? view.reason : tooBig;
  return {
    id,
    identity,
    ...(at === undefined ? {} : { at }),
    counts: oversize === undefined ? withParts(view.counts, group, heldParts) : { Invalid: members.size },
    ...(reason === "" ? {} : { reason }),
    ...(nodeClusters.length === 0 ? {} : { nodeClusters }),
    stand: standOf(group, view, tracked, stands),
  };
}

/** A part that stands though nothing declares it any more counts as one declaration of its cluster. */
function withParts(counts: LocalCounts, group: Group, heldParts: readonly string[]): LocalCounts {
  const undeclared = undeclaredParts(group, heldParts).length;
  return undeclared === 0 ? counts : { ...counts, Unseen: (counts.Unseen ?? 0) + undeclared };
}

function standOf(group: Group, view: View, tracked: Tracked, stands: Stands): Stand {
  if (view.type === "absent") return { type: "absent", grace: view.grace, cause: view.cause };
  if (view.type === "nothing" || view.type === "untouched") return { type: view.type };
  const upstream = !view.missing && tracked.upstream.state === "dirty";
  const nodes = view.nodes.length;
  const { bare } = view;
  if (view.type === "frozen") {
    const { onlyLost } = view;
    const flags = { upstream: upstream && stands.upstream, bare, ...(onlyLost ? { onlyLost } : {}) };
    return { type: "frozen", nodes, ...flags };
  }
  const { cluster, object } = view.setter;
  return {
    type: "live",
    age: { created: object.created, cluster, namespace: object.namespace, name: object.name },
    pairs: view.settings.pairs,
    inherits: group.inherits,
    nodes,
    bare,
    upstream,
    route: !view.missing && tracked.route.state === "dirty",
  };
}
