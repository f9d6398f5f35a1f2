import type { Surroundings } from "./context.ts";
import type { Group, Stands } from "./group.ts";
import { inForce } from "./in-force.ts";
import type { InForce } from "./in-force.ts";
import type { Member } from "./member.ts";
import { compareMembers } from "./member.ts";
import type { Settings } from "./settings.ts";
import { rowOf } from "./source-rows.ts";

/** Whether what its cluster has is known; a group of one cluster is not spoken of while that is not seen. */
export function isSeen(group: Group, { cluster }: Member, { sight }: Surroundings): boolean {
  return group.identity.share !== "fleet" || sight(group, cluster) === "seen";
}

/** Clusters that have a part in what stands, and are out of sight. */
export function lostClusters(group: Group, { members }: Stands, { sight }: Surroundings): string[] {
  if (group.identity.share !== "fleet") return [];
  const isLost = (cluster: string): boolean => {
    const found = sight(group, cluster);
    return found === "unseen" || found === "pending";
  };
  return members.map(([cluster]) => cluster).filter(isLost);
}

/**
 * Whether the settings stand because a cluster that has a part in the route is out of sight. Without a route there is
 * nothing that works and could be broken.
 */
function isSpecHeld(stands: Stands, lost: readonly string[]): boolean {
  return stands.route && lost.length > 0;
}

/**
 * The oldest member that counts. A paused one keeps what stands as it is; where nothing stands there is nothing to
 * keep, and the next one counts.
 */
export function setterOf(members: readonly Member[], anything: boolean): Member | undefined {
  return members.find(
    ({ state, object, paused }) =>
      state === "Valid" && rowOf(object).isLiving(object) && (anything || paused === false),
  );
}

/** Whether a cluster that is not drained has a part in what stands, is seen, and has no member any more; unless it was let go. */
export function lacksPart(group: Group, stands: Stands, surroundings: Surroundings): boolean {
  if (group.identity.share !== "fleet") return false;
  const { sight, isPartLetGo, translation } = surroundings;
  const left = new Set([...group.members.values()].map(({ cluster }) => cluster));
  return stands.members.some(([name]) => {
    const mayGive = translation.clusters.get(name)?.weight !== 0;
    return mayGive && !left.has(name) && sight(group, name) === "seen" && !isPartLetGo(group, name);
  });
}

/** By what the members of a group are judged. */
export interface Spec {
  /** The oldest member that counts; undefined: there is none, or what stands is held. */
  readonly setter: Member | undefined;
  /** Those that it sets; undefined: nobody does, and what stands stays. */
  readonly settings: Settings | undefined;
  readonly inForce: InForce;
}

export function specOf(group: Group, stands: Stands, surroundings: Surroundings): Spec {
  const members = [...group.members.values()]
    .filter((member) => isSeen(group, member, surroundings))
    .sort(compareMembers);
  return specAmong(members, lostClusters(group, stands, surroundings), group, stands);
}

/** `members`: those that are seen, the oldest first. */
export function specAmong(
  members: readonly Member[],
  lost: readonly string[],
  group: Group,
  stands: Stands,
): Spec {
  const isHeld = isSpecHeld(stands, lost);
  const setter = isHeld ? undefined : setterOf(members, stands.upstream || stands.route);
  const settings = setter?.paused === false ? setter.settings : undefined;
  return { setter, settings, inForce: inForce(group, stands, settings) };
}
