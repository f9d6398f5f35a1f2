import type { Group } from "../desired/group.ts";
import { letNodesGo } from "../desired/group.ts";
import { isPartGone } from "../desired/group-nodes.ts";
import { hasContentOf } from "./contents.ts";
import type { Judge } from "./judge.ts";

/** Whether a list that came without the cluster's part of this group takes something away that stands. */
export function losesPart(group: Group, cluster: string, judge: Judge): boolean {
  const { identity, members } = group;
  const { translation } = judge.desired;
  if (translation.clusters.get(cluster)?.weight === 0) return false;
  if (!isPartGone(group, cluster, translation)) return false;
  const isSeen = (name: string): boolean => judge.surroundings.sight(group, name) === "seen";
  const others = [...members.values()].filter((member) => member.cluster !== cluster);
  const standing = judge.stands(group).members.filter(([name]) => name !== cluster);
  const isAlone =
    !others.some((member) => isSeen(member.cluster)) && standing.every(([name]) => isSeen(name));
  return identity.share === "fleet" && !isAlone && !isContentStanding(group, judge);
}

/** Ends parts that a list took away, and that are there again or do not stand any more. */
export function reviewParts(group: Group, judge: Judge): void {
  const { goneParts } = judge.sights;
  const { id } = group;
  for (const cluster of goneParts.of(id)) {
    const stands = judge.stands(group).members.some(([name]) => name === cluster);
    const isGone = isPartGone(group, cluster, judge.desired.translation);
    if (stands && isGone && !isEmptyPart(group, cluster)) continue;
    goneParts.end(id, cluster);
    if (judge.surroundings.sight(group, cluster) === "seen") letNodesGo(group, cluster);
  }
}

/** What the group means now is what stands: nothing is taken away. */
function isContentStanding(group: Group, judge: Judge): boolean {
  const view = judge.view(group);
  if ((view.type !== "live" && view.type !== "frozen") || view.missing) return false;
  const body = judge.contents.upstream(group, view, judge.track(group.id));
  return body !== undefined && hasContentOf(judge.known.get(group.id)?.upstream, body);
}

/** Its members are there, and gave no nodes before either. */
function isEmptyPart({ members, held }: Group, cluster: string): boolean {
  return (
    held.get(cluster)?.length === 0 && [...members.values()].some((member) => member.cluster === cluster)
  );
}
