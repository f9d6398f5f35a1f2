/** The guard's window, milliseconds. */
const windowLength = 60_000;

/** Makes 0.29 × 100 the 29 that it is meant to be. */
const rounding = 1e-9;

export interface GuardLimits {
  /** `guard.maxDeletes`. */
  readonly maxDeletes: number;
  /** `guard.maxDeleteRatio`. */
  readonly maxDeleteRatio: number;
}

/** Groups that this instance owns now: in the cluster concerned, and in all. */
export interface Owned {
  readonly cluster: number;
  readonly all: number;
}

export type GuardAnswer = "go" | "held";

export interface GuardStatus {
  readonly held: number;
  /** Approving it releases what is held now, and nothing that is held later. Undefined: nothing is held. */
  readonly batch: string | undefined;
}

/**
 * Bounds how many groups are deleted, or emptied for want of a source, in a sliding minute (PRODUCT.md, "Guard"). Pure:
 * `now` is `Clock.now()`, milliseconds.
 *
 * Guarantees: without approval, no more than max(maxDeletes, maxDeleteRatio × owned) groups go within 60 s, in each
 * cluster and in all. What was let go may wait for its turn, or for an answer: it counts until it `went`, and for 60 s from
 * then. A group that passed once is not counted again until `release`: emptied first and deleted later, it counts once. A
 * held group stays held until approved or released, though the window have room.
 */
export class Guard {
  readonly #limits: GuardLimits;
  readonly #prefix: string;
  /** How often something was held: the number of the newest batch. */
  #batches = 0;
  /** Id → the batch with which it was held. */
  readonly #held = new Map<string, number>();
  readonly #passed = new Set<string>();
  /** What was let go within the limits and has not gone yet: id → the cluster for which it counts. */
  readonly #going = new Map<string, string>();
  readonly #passedOf = new Map<string, SlidingCount>();
  readonly #passedOfAll = new SlidingCount();

  /** `prefix` tells this term's batches from another's. */
  constructor(limits: GuardLimits, prefix: string) {
    this.#limits = limits;
    this.#prefix = prefix;
  }

  /** One group is to be emptied or deleted, as a watch event, a policy or an older foreign route has it. */
  ask(now: number, id: string, cluster: string, owned: Owned): GuardAnswer {
    return this.judge(now, cluster, [id], owned, { foundNothing: false });
  }

  /**
   * A relist, or the start, of a cluster: all of its `ids` go, or all are held but those that passed before.
   * `foundNothing`: the complete list is empty where ten or more objects stood.
   */
  judge(
    now: number,
    cluster: string,
    ids: readonly string[],
    owned: Owned,
    { foundNothing }: { readonly foundNothing: boolean },
  ): GuardAnswer {
    const asked = [...new Set(ids)].filter((id) => !this.#passed.has(id));
    if (asked.length === 0) return "go";
    const fresh = asked.filter((id) => !this.#held.has(id));
    const goes =
      fresh.length === asked.length && !foundNothing && this.#hasRoom(now, cluster, asked.length, owned);
    if (goes) this.#pass(cluster, asked);
    else this.#hold(fresh);
    return goes ? "go" : "held";
  }

  isHeld(id: string): boolean {
    return this.#held.has(id);
  }

  /** It was let go, and has not come back. */
  hasPassed(id: string): boolean {
    return this.#passed.has(id);
  }

  /** What was let go is emptied or deleted now, as APISIX has confirmed. */
  went(now: number, id: string): void {
    const cluster = this.#going.get(id);
    if (cluster === undefined) return;
    this.#going.delete(id);
    this.#passedIn(cluster).end(now);
    this.#passedOfAll.end(now);
  }

  /** Its source came back, or nothing of it stands any more: it is neither held nor let go. */
  release(now: number, id: string): void {
    // A request may have taken it away before it came back.
    this.went(now, id);
    this.#held.delete(id);
    this.#passed.delete(id);
  }

  /** Lets go what was held when `batch` was shown and still is; returns those ids. Undefined: no such batch. */
  approve(batch: string): readonly string[] | undefined {
    const number = this.#numberOf(batch);
    if (number === undefined) return undefined;
    const released: string[] = [];
    for (const [id, heldWith] of this.#held) {
      if (heldWith > number) continue;
      this.#held.delete(id);
      this.#passed.add(id);
      released.push(id);
    }
    return released;
  }

  status(): GuardStatus {
    const held = this.#held.size;
    return { held, batch: held === 0 ? undefined : this.#nameOf(this.#batches) };
  }

  #hasRoom(now: number, cluster: string, count: number, owned: Owned): boolean {
    return (
      this.#passedIn(cluster).at(now) + count <= this.#limit(owned.cluster) &&
      this.#passedOfAll.at(now) + count <= this.#limit(owned.all)
    );
  }

  #limit(owned: number): number {
    return Math.max(this.#limits.maxDeletes, this.#limits.maxDeleteRatio * owned + rounding);
  }

  #pass(cluster: string, ids: readonly string[]): void {
    this.#passedIn(cluster).begin(ids.length);
    this.#passedOfAll.begin(ids.length);
    for (const id of ids) {
      this.#passed.add(id);
      this.#going.set(id, cluster);
    }
  }

  #passedIn(cluster: string): SlidingCount {
    const found = this.#passedOf.get(cluster) ?? new SlidingCount();
    this.#passedOf.set(cluster, found);
    return found;
  }

  #hold(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#batches += 1;
    for (const id of ids) this.#held.set(id, this.#batches);
  }

  #nameOf(batch: number): string {
    return `${this.#prefix}-${batch}`;
  }

  #numberOf(name: string): number | undefined {
    const number = Number(name.slice(this.#prefix.length + 1));
    const exists = number >= 1 && number <= this.#batches;
    return exists && this.#nameOf(number) === name ? number : undefined;
  }
}

/** How much is under way, or ended within the last minute. */
class SlidingCount {
  #underWay = 0;
  #parts: { readonly at: number; count: number }[] = [];
  #expired = 0;
  #sum = 0;

  begin(count: number): void {
    this.#underWay += count;
  }

  /** One of them ends. */
  end(now: number): void {
    this.#underWay -= 1;
    this.#sum += 1;
    const newest = this.#parts.at(-1);
    if (newest?.at === now) newest.count += 1;
    else this.#parts.push({ at: now, count: 1 });
  }

  at(now: number): number {
    for (;;) {
      const oldest = this.#parts[this.#expired];
      if (oldest === undefined || now - oldest.at < windowLength) break;
      this.#sum -= oldest.count;
      this.#expired += 1;
    }
    if (this.#expired * 2 > this.#parts.length) {
      this.#parts = this.#parts.slice(this.#expired);
      this.#expired = 0;
    }
    return this.#sum + this.#underWay;
  }
}
