import { makeProblem, showValue } from "./problem.ts";
import type { Problem } from "./problem.ts";
import type { Pair } from "./pair.ts";

/** An entry that wants a pair which an earlier entry of the same annotation wants too. */
export interface DuplicatePair {
  /** Index of the later entry, the one that is Invalid, in the list that was given. */
  readonly index: number;
  readonly problem: Problem;
}

/**
 * Finds the entries of one annotation that repeat a pair, at most one problem each, in order. An entry loses to an
 * earlier one even if that one loses itself: mending one entry never makes another one Invalid.
 *
 * `parseRoutes` has judged what can be judged from the text; call this once the defaults for host and uri are filled.
 */
export function findDuplicatePairs(
  entries: readonly { readonly name: string | undefined; readonly pairs: readonly Pair[] }[],
): readonly DuplicatePair[] {
  const first = new Map<Pair, number>();
  const duplicates: DuplicatePair[] = [];
  for (const [index, entry] of entries.entries()) {
    const pair = entry.pairs.find((wanted) => first.has(wanted));
    if (pair !== undefined) {
      const earlier = first.get(pair) ?? 0;
      const who = `entry ${earlier + 1} (${showValue(entries[earlier]?.name ?? "no name")})`;
      const reason = `${who} already has this host and uri; each pair may stand once in an annotation`;
      duplicates.push({ index, problem: makeProblem(entry.name, "host", pair.trimEnd(), reason) });
    }
    for (const wanted of entry.pairs) if (!first.has(wanted)) first.set(wanted, index);
  }
  return duplicates;
}
