import { compareBytewise } from "../declare/byte-order.ts";
import type { Pair } from "../declare/pair.ts";

/** `pairs` itself where it is sorted and unique already, as `pairsOf` gives it; otherwise a copy that is. */
export function sortedPairs(pairs: readonly Pair[]): readonly Pair[] {
  const sorted = pairs.every((pair, at) => at === 0 || compareBytewise(pairs[at - 1] ?? "", pair) < 0);
  return sorted ? pairs : [...new Set(pairs)].toSorted(compareBytewise);
}

/** Equality of two sorted lists. */
export function samePairs(a: readonly Pair[], b: readonly Pair[]): boolean {
  return a.length === b.length && a.every((pair, at) => pair === b[at]);
}

/** Whether a sorted list has `pair`. */
export function hasPair(pairs: readonly Pair[], pair: Pair): boolean {
  let low = 0;
  let high = pairs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compareBytewise(pairs[middle] ?? "", pair);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
