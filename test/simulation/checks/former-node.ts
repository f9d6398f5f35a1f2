import type { Identity } from "../../../src/apisix/types.ts";
import { declaredIn } from "../oracle/expected.ts";
import type { Node } from "../oracle/ownership.ts";
import type { Heard } from "./pause-memory.ts";

/**
 * Whether a node of a group may be kept for a paused Pod though it was that of another one of its name, which has ended:
 * nodes name no uid, and whoever had listed nothing before the pause cannot know that what stands was not the paused one's. Where a
 * cluster was built anew under its name, what was listed of the one before counts for nothing.
 */
export function isKeptForSuccessor(
  { host, metadata }: Node,
  { kind, namespace }: Identity,
  { history, lists }: Heard,
): boolean {
  if (metadata?.name === undefined) return false;
  const { cluster, name } = metadata;
  const moments = [...history.since(cluster, -Infinity)].map(({ from, truth }) => {
    const all = [...declaredIn(truth)].map(({ pod }) => pod);
    const isMeant = (pod: (typeof all)[number]): boolean =>
      pod.kind === kind && pod.namespace === namespace && pod.name === name;
    return { from, pod: all.find(isMeant), uid: truth.clusters.find((one) => one.name === cluster)?.uid };
  });
  const successor = moments[0]?.pod;
  if (successor?.paused !== true) return false;
  const before = moments.findIndex(({ pod }) => pod?.uid !== successor.uid || !pod.paused);
  const pausedFrom = moments[before - 1]?.from;
  const isFormers = moments.some(({ pod }) => pod?.ip === host && pod.uid !== successor.uid);
  const other = moments.findIndex(({ uid }) => uid !== moments[0]?.uid);
  const builtAt = moments[other - 1]?.from ?? -Infinity;
  return isFormers && pausedFrom !== undefined && !lists.wasListed(cluster, kind, builtAt, pausedFrom);
}
