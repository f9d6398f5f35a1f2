import type { Surroundings } from "./context.ts";
import type { Basis, Group, Owners, Stands, View } from "./group.ts";
import { unionOf } from "./group-nodes.ts";
import type { Member } from "./member.ts";
import { compareMembers } from "./member.ts";
import { countsOf, reasonOf, stateOf } from "./member-state.ts";
import { isSeen, lacksPart, lostClusters, specAmong } from "./spec.ts";

/**
 * PRODUCT.md, "Groups", "Which nodes" and "Where a declaration stands". Pure.
 *
 * Members of a fleet group whose cluster is out of sight count as unknown: their part is kept as it stands. While such a
 * part stands, so do the settings.
 */
export function viewGroup(group: Group, stands: Stands, surroundings: Surroundings): View {
  const all = [...group.members.values()].sort(compareMembers);
  const members = all.filter((member) => isSeen(group, member, surroundings));
  const lost = lostClusters(group, stands, surroundings);
  const anything = stands.upstream || stands.route;
  // Who is out of sight and has no part in what stands is nobody yet, as it would be to a new leader.
  if (members.length === 0 && lost.length === 0) return absent(group);
  const spec = specAmong(members, lost, group, stands);
  const { setter, settings } = spec;
  const states = all.map((member) => stateOf(member, spec, isSeen(group, member, surroundings)));
  const about = { counts: countsOf(all, states), reason: reasonOf(all, states, spec) };
  if (group.identity.share === "none" && all[0]?.paused) {
    return { type: anything ? "untouched" : "nothing", ...about };
  }
  const isForbidden = members.every((member) => member.state === "Forbidden" && member.paused === false);
  if (isForbidden && lost.length === 0) {
    if (anything) return { type: "absent", grace: false, cause: "forbidden", ...about };
    return { type: "nothing", ...about };
  }
  if (settings === undefined && !anything) return { type: "nothing", ...about };
  const { translation } = surroundings;
  const lacks = (): boolean => lacksPart(group, stands, surroundings);
  const { onlyLost, ...union } = unionOf(group, { members, lost, lacksPart: lacks, settings, translation });
  const owners = ownersOf(members, lost, stands);
  if (setter !== undefined && settings !== undefined) {
    return { type: "live", setter, settings, owners, ...union, ...about };
  }
  const basis = basisOf(group);
  const missing = union.missing || (basis === undefined && !isRead(group, stands));
  return { type: "frozen", basis, owners, ...union, onlyLost, missing, ...about };
}

function absent({ undeclared }: Group): View {
  const cause = undeclared ? "undeclared" : "gone";
  return { type: "absent", grace: !undeclared, cause, counts: {}, reason: "" };
}

function ownersOf(members: readonly Member[], lost: readonly string[], stands: Stands): Owners {
  return {
    seen: [...new Set(members.map(({ cluster }) => cluster))],
    lost: stands.members.filter(([cluster]) => lost.includes(cluster)),
  };
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
