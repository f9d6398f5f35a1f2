import type { Sight, Translation } from "../desired/context.ts";
import { covers } from "../desired/context.ts";
import type { Group, Stands, View } from "../desired/group.ts";
import { nodeClustersOf } from "../desired/group-nodes.ts";
import { compareMembers } from "../desired/member.ts";
import { setterOf } from "../desired/spec.ts";
import { GoneParts } from "./gone-parts.ts";
import { NodeUsers } from "./node-users.ts";
import { Settling } from "./settling.ts";

/** Which groups may be spoken of: what they rest on is settled, or is known not to be seen. */
export class Sights {
  readonly settling: Settling;
  readonly nodeUsers = new NodeUsers();
  readonly goneParts = new GoneParts();
  readonly #translation: () => Translation;

  constructor(translation: () => Translation) {
    this.#translation = translation;
    this.settling = new Settling((cluster) => translation().clusters.has(cluster));
  }

  /** How far a cluster can be seen, as far as a fleet group rests on it. */
  of(group: Group, cluster: string): Sight {
    const { kind, namespace } = group.identity;
    const sight = this.settling.sight({ cluster, kind });
    if (sight !== "seen") return sight;
    if (this.goneParts.isHeld(group.id, cluster) || this.settling.isDoubted({ cluster, kind }))
      return "unseen";
    if (!covers(this.#translation(), { cluster, namespace })) return "unseen";
    if (!onNodesOf(group).includes(cluster)) return "seen";
    return this.settling.areNodesDoubted(cluster) ? "unseen" : this.settling.nodesSight(cluster);
  }

  /**
   * Whether nothing may be said of the group yet, nor written: something that it rests on is not settled. A fleet group
   * waits for nobody who is known to be out of sight, as long as somebody is seen.
   */
  mustWait(group: Group, stands: Stands): boolean {
    const { id, identity } = group;
    if (identity.share === "fleet") return this.#mustFleetWait(group, stands);
    const sight = this.settling.sight(identity);
    if (sight === "purged" && group.members.size === 0) return false;
    if (!covers(this.#translation(), identity)) return true;
    if (sight === "seen") return false;
    this.settling.wait(identity, id);
    return true;
  }

  /** Whether some Nodes on which it rests are not settled. */
  lacksNodes({ id, identity }: Group): boolean {
    if (identity.share === "fleet") return false;
    return this.nodeUsers.clustersOf(id).some((cluster) => this.settling.nodesSight(cluster) !== "seen");
  }

  /** Likewise, from what the group means now. */
  waitsForNodes(group: Group, view: View): boolean {
    if (group.identity.share === "fleet") return false;
    const clusters = nodeClustersOf(group, view.type === "live" ? view.settings : undefined);
    this.nodeUsers.note(group.id, clusters);
    const missing = clusters.find((cluster) => this.settling.nodesSight(cluster) !== "seen");
    if (missing !== undefined) this.settling.waitForNodes(missing, group.id);
    return missing !== undefined;
  }

  /** Of one cluster, or of one that is known to have had a part in the group. */
  isPurged({ identity: { share, cluster } }: Group, { members }: Stands): boolean {
    if (share !== "fleet") return this.settling.isPurged(cluster);
    return members.some(([member]) => this.settling.isPurged(member));
  }

  #mustFleetWait(group: Group, { members }: Stands): boolean {
    const { id, identity } = group;
    const onNodes = onNodesOf(group);
    this.nodeUsers.note(id, onNodes);
    const standing = new Set(members.map(([cluster]) => cluster));
    const all = new Set([...standing, ...[...group.members.values()].map(({ cluster }) => cluster)]);
    let isAnyKnown = false;
    let isPending = false;
    for (const cluster of all) {
      const sight = this.of(group, cluster);
      // Should it come back, its part counts from when it is listed whole.
      if (sight === "purged") this.settling.wait({ cluster, kind: identity.kind }, id);
      if (sight === "seen" || sight === "purged" || this.goneParts.isHeld(id, cluster)) {
        isAnyKnown = true;
        continue;
      }
      isPending ||= sight === "pending" && standing.has(cluster);
      this.settling.wait({ cluster, kind: identity.kind }, id);
      if (onNodes.includes(cluster)) this.settling.waitForNodes(cluster, id);
    }
    return isPending || (all.size > 0 && !isAnyKnown);
  }
}

/**
 * Clusters on whose Nodes a fleet group rests. Whose settings an Invalid member follows is not known before it is known
 * who is seen: what stands, or what the oldest declares; either counts.
 */
function onNodesOf(group: Group): string[] {
  if (group.identity.kind === "pod") return [];
  const members = [...group.members.values()].sort(compareMembers);
  const onNodes = [undefined, setterOf(members, true)?.settings].flatMap((settings) =>
    nodeClustersOf(group, settings),
  );
  return [...new Set(onNodes)];
}
