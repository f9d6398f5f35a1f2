import type { SourceFacts } from "../oracle/declared.ts";
import type { Expected, Truth } from "../oracle/expected.ts";
import { compareAges, declaredIn } from "../oracle/expected.ts";
import { idOf } from "../oracle/ownership.ts";
import type { TruthHistory } from "../truth-history.ts";
import type { HeardLists } from "../wire/heard-lists.ts";

/** What one process can know of the clusters' objects. */
export interface Heard {
  readonly history: Pick<TruthHistory, "since">;
  readonly lists: HeardLists;
}

/**
 * Whether a paused member that the objects of now do not show keeps the settings of a group as they stand: it is older
 * than who sets them otherwise, and declared the group when it was last heard of before its pause, as policy allows it
 * now. What was edited between the two is heard of together with the pause, and what is paused goes on as what it was.
 */
export function isKeptFromMemory({ id, age }: Expected, truth: Truth, heard: Heard): boolean {
  if (age === undefined) return false;
  return [...declaredIn(truth)].some(
    ({ pod }) => pod.paused && pod.living && compareAges(pod, age) < 0 && mayRemember(pod, id, truth, heard),
  );
}

/**
 * Of a paused source: whether it was valid in the group at a moment that can be the last that was known before its pause.
 * Lists alone prove what was known; a watch may have been silent since.
 */
function mayRemember(
  { cluster, kind, uid }: SourceFacts,
  id: string,
  { instance, policy }: Truth,
  { history, lists }: Heard,
): boolean {
  let knownFrom = Infinity;
  for (const { from, truth } of history.since(cluster, -Infinity)) {
    const was = [...declaredIn({ ...truth, policy })].find(({ pod }) => pod.uid === uid);
    const valid = was?.entries.filter(({ state }) => state === "Valid") ?? [];
    if (valid.some(({ identity }) => idOf(instance, identity) === id)) return true;
    if (was?.pod.paused === true) knownFrom = lists.begunBefore(cluster, kind, from) ?? Infinity;
    if (from <= knownFrom) return false;
  }
  return false;
}
