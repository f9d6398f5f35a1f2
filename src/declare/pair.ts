import { compareBytewise } from "./byte-order.ts";

/**
 * `${host} ${uri}`, both normalised: what a route matches and what routes compete for (PRODUCT.md, "Conflicts").
 * Neither part contains a space.
 */
export type Pair = string;

/** Every combination of `hosts` and `uris`: sorted bytewise, unique. */
export function pairsOf(hosts: readonly string[], uris: readonly string[]): Pair[] {
  if (hosts.length === 1 && uris.length === 1) return [`${hosts[0]} ${uris[0]}`];
  const pairs = new Set<Pair>();
  for (const host of hosts) for (const uri of uris) pairs.add(`${host} ${uri}`);
  return [...pairs].toSorted(compareBytewise);
}

export function pairHost(pair: Pair): string {
  return pair.slice(0, pair.indexOf(" "));
}

export function pairUri(pair: Pair): string {
  return pair.slice(pair.indexOf(" ") + 1);
}
