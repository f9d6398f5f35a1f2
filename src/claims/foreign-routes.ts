import { pairHost, pairsOf, pairUri } from "../declare/pair.ts";
import type { Pair } from "../declare/pair.ts";
import type { ForeignRoute } from "./claim.ts";
import { PairIndex } from "./pair-index.ts";

/** A route with at most so many pairs is found by each of them. */
const usuallyUnfolded = 16;

/** Routes with the same hosts: by uri. */
type ByUri = PairIndex<ForeignRoute>;

/**
 * Foreign routes by the pairs on which they stand.
 *
 * Guarantees: takes room in proportion to what the routes say. Their hosts multiply with their uris, and strangers'
 * routes know no bound: one of 2,000 × 2,000 would unfold to four million pairs. Those are found by host, then by uri;
 * routes with the same hosts, as those of one service, share them.
 */
export class ForeignRoutes {
  readonly #byId = new Map<string, ForeignRoute>();
  readonly #unfolded = new PairIndex<ForeignRoute>();
  readonly #folded = new Map<string, ByUri[]>();
  readonly #byHosts = new Map<readonly string[] | string, ByUri>();
  readonly #unfold: number;

  constructor(unfold = usuallyUnfolded) {
    this.#unfold = unfold;
  }

  add(route: ForeignRoute): void {
    this.#byId.set(route.id, route);
    const { hosts, uris } = route;
    if (hosts.length * uris.length <= this.#unfold) {
      for (const pair of pairsOf(hosts, uris)) this.#unfolded.add(pair, route);
      return;
    }
    const byUri = this.#byHosts.get(hosts) ?? this.#share(hosts);
    for (const uri of uris) byUri.add(uri, route);
  }

  /** Whether one has this id. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  ids(): Iterable<string> {
    return this.#byId.keys();
  }

  /** Those that stand on `pair`. */
  *at(pair: Pair): Generator<ForeignRoute> {
    yield* this.#unfolded.at(pair);
    if (this.#folded.size === 0) return;
    const groups = this.#folded.get(pairHost(pair));
    if (groups !== undefined) for (const byUri of groups) yield* byUri.at(pairUri(pair));
  }

  isEmpty(pair: Pair): boolean {
    if (this.#unfolded.count(pair) > 0) return false;
    const groups = this.#folded.size === 0 ? undefined : this.#folded.get(pairHost(pair));
    return groups === undefined || groups.every((byUri) => byUri.count(pairUri(pair)) === 0);
  }

  /** Pairs in `index` on which one of these stands too; undefined after each other one that was looked at. */
  *beside(index: PairIndex<object>): Generator<Pair | undefined> {
    for (const pair of this.#unfolded.pairs()) yield index.count(pair) > 0 ? pair : undefined;
    if (this.#folded.size === 0) return;
    for (const pair of index.pairs())
      yield this.#unfolded.count(pair) === 0 && !this.isEmpty(pair) ? pair : undefined;
  }

  /** A service's hosts are one array in all of its routes; others' are compared by what they say. */
  #share(hosts: readonly string[]): ByUri {
    const byHosts = this.#byHosts;
    const key = hosts.join(" ");
    const found = byHosts.get(key);
    const byUri: ByUri = found ?? new PairIndex();
    byHosts.set(hosts, byUri).set(key, byUri);
    if (found !== undefined) return found;
    for (const host of new Set(hosts)) {
      const groups = this.#folded.get(host);
      if (groups === undefined) this.#folded.set(host, [byUri]);
      else groups.push(byUri);
    }
    return byUri;
  }
}
