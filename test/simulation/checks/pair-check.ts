import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import type { AdminEntry } from "../../../src/sim/admin/admin-store.ts";
import { identityOf, pairsOf } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { Knowledge } from "../wire/knowledge.ts";
import type { World } from "../world.ts";
import type { Check } from "./check.ts";
import { TakenOff } from "./taken-off.ts";

/** PRODUCT.md: a burst that takes pairs never held looks again first if the last look is older. */
const longestForeignLook = 30_000;
/** How long a burst may take, with requests that are given up on the way. */
const longestBurst = 60_000;

interface Stranger {
  readonly id: string;
  readonly since: number;
}

/** One of our routes that somebody else brought onto a pair, as a dead leader's last request does. */
interface Brought {
  readonly id: string;
  readonly at: number;
  /** When each process first heard a look at it. */
  readonly seen: Map<Knowledge, number>;
}

/**
 * Invariant 3: at most one route of ours stands on a pair, and an established route is never overwritten: judged by
 * every write of a route that brings it onto a pair.
 */
export class PairCheck implements Check {
  readonly #world: World;
  /** Pair → ids of our routes there. */
  readonly #ours = new Map<string, Set<string>>();
  /** By pair and id. */
  readonly #brought = new Map<string, Brought>();
  readonly #takenOff: TakenOff;
  /** Pair → foreign routes there. */
  readonly #foreign = new Map<string, Map<string, Stranger>>();
  /** Pair → when one of ours last left it. */
  readonly #left = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
    this.#takenOff = new TakenOff(world.config.instance);
  }

  applied(exchange: AdminExchange, request: SentRequest | undefined): void {
    for (const { collection, before, after } of exchange.changes) {
      if (collection !== "routes") continue;
      const isOwn = request !== undefined && !request.isOrphan();
      const left = this.#leave(before, after);
      if (!isOwn)
        for (const pair of left) this.#takenOff.left(pair, before?.id ?? "", this.#world.time.now());
      const taken = this.#enter(before, after);
      for (const pair of taken) {
        const key = `${pair} ${after?.id ?? ""}`;
        this.#brought.delete(key);
        if (isOwn) this.#judge(pair, after, request);
        else if (after !== undefined)
          this.#brought.set(key, { id: after.id, at: this.#world.time.now(), seen: new Map() });
        this.#takenOff.stands(pair, after?.id ?? "");
      }
    }
  }

  ended(request: SentRequest): void {
    const { knowledge } = this.#world.processOf(request);
    for (const { id, at, seen } of this.#brought.values())
      if (!seen.has(knowledge) && knowledge.lookedAt("routes", id) >= at)
        seen.set(knowledge, this.#world.time.now());
  }

  #isOurs(entry: AdminEntry): boolean {
    return identityOf(this.#world.config.instance, entry.id, entry.value) !== undefined;
  }

  /** Returns the pairs that one of ours has left. */
  #leave(before: AdminEntry | undefined, after: AdminEntry | undefined): string[] {
    if (before === undefined) return [];
    const left: string[] = [];
    const isOurs = this.#isOurs(before);
    const kept = new Set(
      after !== undefined && this.#isOurs(after) === isOurs ? this.#world.gateway.pairsOf(after) : [],
    );
    for (const pair of this.#world.gateway.pairsOf(before)) {
      if (kept.has(pair)) continue;
      if (!isOurs) this.#foreign.get(pair)?.delete(before.id);
      else if (this.#ours.get(pair)?.delete(before.id) === true) {
        this.#left.set(pair, this.#world.time.now());
        left.push(pair);
      }
    }
    return left;
  }

  /** Returns the pairs that one of ours has come to stand on. */
  #enter(before: AdminEntry | undefined, after: AdminEntry | undefined): string[] {
    if (after === undefined) return [];
    const pairs = this.#world.gateway.pairsOf(after);
    if (!this.#isOurs(after)) {
      for (const pair of pairs) this.#enterForeign(pair, after.id);
      return [];
    }
    const held = new Set(
      before !== undefined && this.#isOurs(before) ? this.#world.gateway.pairsOf(before) : [],
    );
    for (const pair of pairs) this.#ours.set(pair, (this.#ours.get(pair) ?? new Set()).add(after.id));
    return pairs.filter((pair) => !held.has(pair));
  }

  #enterForeign(pair: string, id: string): void {
    const there = this.#foreign.get(pair) ?? new Map<string, Stranger>();
    this.#foreign.set(pair, there);
    if (!there.has(id)) there.set(id, { id, since: this.#world.time.now() });
  }

  #judge(pair: string, after: AdminEntry | undefined, request: SentRequest): void {
    const id = after?.id ?? "";
    const { knowledge } = this.#world.processOf(request);
    // It was to stay where it stood, beside whoever had been seen to have come there by another hand: ours or foreign.
    const wasToStay = this.#takenOff.isSince(pair, id, request);
    for (const other of this.#ours.get(pair) ?? []) {
      // Who edits our routes, and a dead leader's last request, can bring one onto a pair unseen.
      const known = knowledge.of("routes", other);
      const brought = this.#brought.get(`${pair} ${other}`);
      // This may be applied long after it was given up: what was seen since does not count.
      if (brought !== undefined && (brought.seen.get(knowledge) ?? Infinity) > request.sentAt) continue;
      const isSeen =
        known.type === "unknown" || (known.type === "value" && pairsOf(known.value, true).includes(pair));
      if (other !== id && isSeen && !(wasToStay && brought !== undefined))
        this.#world.violate(3, `PUT routes/${id} takes "${pair}", on which ${other} of ours stands`);
    }
    for (const stranger of this.#foreign.get(pair)?.values() ?? [])
      if (!wasToStay && this.#mustHaveKnown(pair, stranger, request))
        this.#world.violate(
          3,
          `PUT routes/${id} takes "${pair}", on which the foreign ${stranger.id} stands`,
        );
  }

  /** It has seen it there, or should have looked again. */
  #mustHaveKnown(pair: string, { since }: Stranger, { routesSeenAt, sentAt }: SentRequest): boolean {
    if (since < routesSeenAt) return true;
    const wasJustOurs = sentAt - (this.#left.get(pair) ?? -Infinity) < longestBurst;
    return (
      !wasJustOurs &&
      sentAt - routesSeenAt > longestForeignLook + longestBurst &&
      since < sentAt - longestBurst
    );
  }
}
