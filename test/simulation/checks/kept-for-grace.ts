import type { Identity } from "../../../src/apisix/types.ts";
import { declaredIn } from "../oracle/expected.ts";
import type { Meaning, TruthHistory } from "../truth-history.ts";

/** A route that is one object's alone, and pairs that it has lost. */
interface Loss {
  readonly id: string;
  readonly identity: Identity;
  readonly lost: readonly string[];
}

interface Times {
  /** What is known of the cluster is no older. */
  readonly since: number;
  /** The grace of what went then or before is over. */
  readonly overBy: number;
}

/**
 * Whether it had to keep them: at some moment since then its object was there and did not give them up, and at none that can
 * have been seen last had it given them up, or been gone for the whole grace.
 */
export function isKeptForGrace(
  history: Pick<TruthHistory, "since" | "underPolicy">,
  { id, identity, lost }: Loss,
  { since, overBy }: Times,
): boolean {
  const seen = [...history.since(identity.cluster, since)];
  const declared = seen.findLast((meaning) => isThere(meaning, identity) && !gives(meaning, id, lost));
  if (declared === undefined) return false;
  // Asking for them brought it onto them: what was before that was not seen after it. Merely keeping what stands did not.
  const first = seen.findLastIndex((meaning) => asks(meaning, id, lost));
  for (const meaning of first === -1 ? seen : seen.slice(0, first)) {
    // Taken out of what it declares, or gone for long enough.
    if (isThere(meaning, identity) ? gives(meaning, id, lost) : meaning.from <= overBy) return false;
  }
  // What it declared when it was last heard of, and the policy of now forbids.
  for (const meaning of history.underPolicy(identity.cluster, declared.from))
    if (isThere(meaning, identity) && gives(meaning, id, lost)) return false;
  return true;
}

function isThere({ truth }: Meaning, { kind, namespace, name }: Identity): boolean {
  return [...declaredIn(truth)].some(
    ({ pod }) => pod.kind === kind && pod.namespace === namespace && pod.name === name,
  );
}

/** Whether what it declares does not ask for these pairs. */
function gives({ groups, kept }: Meaning, id: string, lost: readonly string[]): boolean {
  const group = groups.get(id);
  if (group === undefined) return !kept.has(id);
  // What APISIX refuses has given up its old pairs all the same.
  const isSaid = group.state === "live" || (group.refused && !group.untouchable);
  return isSaid && !lost.some((pair) => group.pairs.includes(pair));
}

/** Whether what it declares, and APISIX accepts, asks for one of these pairs. */
function asks({ groups }: Meaning, id: string, lost: readonly string[]): boolean {
  const group = groups.get(id);
  return group?.state === "live" && lost.some((pair) => group.pairs.includes(pair));
}
