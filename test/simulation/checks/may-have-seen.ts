import type { Meaning } from "../truth-history.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { Basis } from "../wire/heard-lists.ts";
import type { World } from "../world.ts";
import { asRemembered } from "./as-remembered.ts";
import { isLate } from "./sight.ts";

/** A watch that has fallen silent is noticed within this time; what is known may be as old. */
export const longestLag = 180_000;

/** Of which group, what is known of which cluster, by which lists. */
export interface Sought {
  readonly id: string;
  readonly cluster: string;
  readonly basis: Basis;
}

/** Whether it is right of what a cluster's objects meant at some moment that who sent the request can have known then. */
export function mayHaveSeen(
  world: World,
  request: SentRequest,
  sought: Sought,
  isRight: (meaning: Meaning) => boolean,
): boolean {
  const { id, cluster } = sought;
  // Who has missed one event of many sees what never was.
  if (world.clusters.get(cluster)?.isGarbled === true) return true;
  const from = seenSince(world, request, sought);
  const { history } = world;
  for (const meaning of history.since(cluster, from)) if (isRight(meaning)) return true;
  // What changed unheard is judged, as it was, by a policy that came since.
  for (const meaning of history.underPolicy(cluster, from)) if (isRight(meaning)) return true;
  const heard = { history, lists: world.processOf(request).lists };
  for (const meaning of asRemembered(id, cluster, from, heard)) if (isRight(meaning)) return true;
  return false;
}

/** Likewise of a Service, whose declaration and slices come over two watches. */
export function mayHaveCrossed(
  world: World,
  request: SentRequest,
  sought: Sought,
  isRight: (meaning: Meaning) => boolean,
): boolean {
  if (sought.basis === "pod") return false;
  const from = seenSince(world, request, sought);
  for (const meaning of world.history.crossed(sought.cluster, from)) if (isRight(meaning)) return true;
  return false;
}

/** What is known of the cluster may be as old. */
export function seenSince(world: World, request: SentRequest, { id, cluster, basis }: Sought): number {
  const { sentAt } = request;
  const { lists, shown } = world.processOf(request);
  const shownSince = basis === "pod" && !isLate(request) ? shown.since(cluster, id) : 0;
  return Math.max(lists.since(cluster, basis, sentAt) ?? 0, shownSince, sentAt - longestLag);
}
