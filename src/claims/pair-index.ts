import type { Pair } from "../declare/pair.ts";

const nobody: ReadonlySet<never> = new Set();

/** Pair → the members on it. A pair with one member, the common case, costs no set. */
export class PairIndex<Member extends object> {
  readonly #members = new Map<Pair, Member | Set<Member>>();

  add(pair: Pair, member: Member): void {
    const found = this.#members.get(pair);
    if (found === undefined) this.#members.set(pair, member);
    else if (found instanceof Set) found.add(member);
    else if (found !== member) this.#members.set(pair, new Set([found, member]));
  }

  delete(pair: Pair, member: Member): void {
    const found = this.#members.get(pair);
    if (found === member) this.#members.delete(pair);
    if (!(found instanceof Set) || !found.delete(member) || found.size > 1) return;
    for (const last of found) this.#members.set(pair, last);
  }

  has(pair: Pair, member: Member): boolean {
    const found = this.#members.get(pair);
    return found === member || (found instanceof Set && found.has(member));
  }

  /** Live: copy it before members change. */
  at(pair: Pair): Iterable<Member> {
    const found = this.#members.get(pair);
    if (found === undefined) return nobody;
    return found instanceof Set ? found : [found];
  }

  count(pair: Pair): number {
    const found = this.#members.get(pair);
    if (found === undefined) return 0;
    return found instanceof Set ? found.size : 1;
  }

  /** Pairs with at least one member. */
  pairs(): Iterable<Pair> {
    return this.#members.keys();
  }
}
