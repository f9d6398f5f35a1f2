import type { SourceFacts } from "../oracle/declared.ts";
import type { Expected, Truth } from "../oracle/expected.ts";
import { compareAges, declaredIn } from "../oracle/expected.ts";
import { idOf } from "../oracle/ownership.ts";
import type { Meaning, TruthHistory } from "../truth-history.ts";
import type { HeardLists } from "../wire/heard-lists.ts";
import { needs } from "./asked-for.ts";

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

/** Of a paused source: whether it was valid in the group at a moment that can be the last that was known before its pause. */
function mayRemember(pod: SourceFacts, id: string, { instance, policy }: Truth, heard: Heard): boolean {
  for (const { truth } of lastKnown(pod, heard)) {
    const was = [...declaredIn({ ...truth, policy })].find(({ pod: { uid } }) => uid === pod.uid);
    const valid = was?.entries.filter(({ state }) => state === "Valid") ?? [];
    if (valid.some(({ identity }) => idOf(instance, identity) === id)) return true;
  }
  return false;
}

/** A node that stands for a Pod, in which group. */
interface StandingNode {
  readonly id: string;
  readonly cluster: string;
  readonly uid: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Whether a Pod that is paused at a moment gave this node when it was last heard of before that pause, for certain: at some
 * moment it was not paused, and at each that can be the last that was known it gave it. One that may have been known not to, as
 * for it was not ready, gives it no more while it is paused, though it still stands, for nothing could be written meanwhile.
 */
export function hasSurelyGiven(
  { id, cluster, uid, host, port }: StandingNode,
  at: number,
  heard: Heard & { readonly history: Pick<TruthHistory, "wasUnpaused"> },
): boolean {
  if (!heard.history.wasUnpaused(uid)) return false;
  for (const known of lastKnown({ cluster, kind: "pod", uid }, heard, at)) {
    const was = [...declaredIn(known.truth)].find(({ pod }) => pod.uid === uid);
    if (was === undefined || was.pod.paused) continue;
    if (!needs(known, id, host, port, new Set(), () => false)) return false;
  }
  return true;
}

/**
 * Moments up to `until`, newest first, as far back as the last can be at which a source that was paused then had been heard
 * of before its pause. Lists alone prove what was known; a watch may have been silent since.
 */
export function* lastKnown(
  { cluster, kind, uid }: Pick<SourceFacts, "cluster" | "kind" | "uid">,
  { history, lists }: Heard,
  until = Infinity,
): Generator<Meaning, void, void> {
  let knownFrom = Infinity;
  for (const meaning of history.since(cluster, -Infinity)) {
    const { from, truth } = meaning;
    if (from > until) continue;
    yield meaning;
    const was = [...declaredIn(truth)].find(({ pod }) => pod.uid === uid);
    if (was?.pod.paused === true) knownFrom = lists.heardBefore(cluster, kind, from) ?? Infinity;
    if (from <= knownFrom) return;
  }
}
