import type { Expected } from "../oracle/expected.ts";
import { compareAges } from "../oracle/expected.ts";
import type { World } from "../world.ts";
import { differencesOf } from "./quiet-check.ts";

/**
 * After a start from nothing, when every cluster was there: the oldest hold, always the same. Served in the order of
 * age, each group takes its pairs if all of them are free.
 */
export function coldDifferencesOf(world: World): string[] {
  const taken = new Map<string, string>();
  const found: string[] = [];
  for (const group of [...livingOf(world)].toSorted(compareGroups)) {
    const isFree = group.pairs.every((pair) => !taken.has(pair));
    if (isFree) for (const pair of group.pairs) taken.set(pair, group.id);
    const stands = world.admin.store.get("routes", group.id) !== undefined;
    if (isFree && !stands) found.push(`${group.id} is older than who holds ${group.pairs.join(", ")}`);
    if (!isFree && stands)
      found.push(`${group.id} holds ${group.pairs.join(", ")}, though an older one wants them`);
  }
  return [...found, ...differencesOf(world)];
}

function* livingOf(world: World): Generator<Expected, void, void> {
  for (const name of [...world.clusters.keys(), ""])
    for (const group of world.history.latest(name).groups.values())
      if (group.state === "live" && group.identity.cluster === name) yield group;
}

function compareGroups(a: Expected, b: Expected): number {
  const byAge = a.age === undefined || b.age === undefined ? 0 : compareAges(a.age, b.age);
  return byAge || (a.id < b.id ? -1 : 1);
}
