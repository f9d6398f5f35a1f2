import type { LocalCounts, LocalState } from "../shard/change.ts";
import type { Group } from "./group.ts";
import { fieldsOtherThan, isOtherThan } from "./in-force.ts";
import type { Member } from "./member.ts";
import type { Spec } from "./spec.ts";

export function stateOf(member: Member, { inForce }: Spec, seen: boolean): LocalState {
  if (!seen) return "Unseen";
  if (member.paused !== false) return "Paused";
  const { id, state, settings } = member;
  if (state !== "Valid" || settings === undefined) return state;
  if (inForce.from === "unknown") return "Unclear";
  return isOtherThan(settings, inForce, id) ? "SpecMismatch" : "Valid";
}

export function countsOf(members: readonly Member[], states: readonly LocalState[]): LocalCounts {
  const counts: Partial<Record<LocalState, number>> = {};
  members.forEach((member, index) => {
    const state = states[index];
    if (member.counted && state !== undefined) counts[state] = (counts[state] ?? 0) + 1;
  });
  return counts;
}

/** Of the clusters whose part a list took away, those in which nothing declares the group any more. */
export function undeclaredParts({ members }: Group, parts: readonly string[]): string[] {
  const declaring = new Set([...members.values()].map(({ cluster }) => cluster));
  return parts.filter((cluster) => !declaring.has(cluster));
}

/** One sentence on a part that a list took away. */
export function partReason(cluster: string): string {
  return `the newest list of ${cluster} has nothing of it any more: its nodes, and the settings of its group, are kept as they stand`;
}

/** The first problem, oldest member first; the others are told by `explain`. */
export function reasonOf(members: readonly Member[], states: readonly LocalState[], spec: Spec): string {
  const index = states.findIndex((state) => state !== "Valid");
  const member = members[index];
  const state = states[index];
  if (member === undefined || state === undefined) return "";
  return `${titleOf(member)}: ${memberReason(member, state, spec)}`;
}

function titleOf({ cluster, object: { kind, namespace, name } }: Member): string {
  return `${cluster}/${namespace}/${kind}/${name}`;
}

/** One sentence on a member's state. */
export function memberReason(member: Member, state: LocalState, spec: Spec): string {
  if (state === "Paused") {
    const isAlone = member.identity.share === "none";
    const kept = isAlone ? "nothing of it is changed" : "only its own part of the group is kept as it is";
    return `paused by its annotation: ${kept}`;
  }
  if (state === "Unseen")
    return `${member.cluster} is not seen now: its nodes, and the settings of its group, are kept as they stand`;
  if (state === "Unclear") return spec.inForce.from === "unknown" ? spec.inForce.why : "";
  if (state === "SpecMismatch") return mismatch(member, spec);
  return member.reason;
}

function mismatch({ settings, identity }: Member, { setter, inForce }: Spec): string {
  const fields = settings === undefined ? [] : fieldsOtherThan(settings, inForce);
  const differs = fields.length === 0 ? "differs" : `differs in ${fields.join(", ")}`;
  if (setter?.paused === false)
    return `${differs} from ${titleOf(setter)}, the oldest member of its group, which sets the route and the upstream`;
  if (identity.share === "none") return `${differs} from what stands in APISIX, which is kept as it is`;
  const why = setter === undefined ? "" : `: ${titleOf(setter)}, its oldest member, is paused`;
  return `${differs} from its group's settings, which are kept as they stand${why}`;
}
