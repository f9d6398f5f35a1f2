import { isEmpty } from "../claims/claim.ts";
import type { Claims } from "../claims/claims.ts";
import type { Check, Cut, Grant, Round } from "../claims/claim.ts";
import type { Cancel, Clock } from "../runtime.ts";

/** The gateway needs about this long for each of its routes to rebuild its router (FACTS-APISIX.md). */
const rebuildPerRoute = 0.03;
/** `auto`: rebuilds take at most a twentieth of the gateway's time. */
const rebuildShare = 20;
const longestInterval = 30_000;
/** Before the next try when foreign routes cannot be read. */
const blindPause = 1000;

export interface BurstParts {
  readonly clock: Clock;
  readonly claims: Claims;
  readonly interval: number | "auto";
  readonly concurrency: number;
  /** Routes that stand in the gateway, ours and others. */
  readonly routes: () => number;
  /** Whether bursts may be sent now at all. */
  readonly isOpen: () => boolean;
  /**
   * Reads the foreign routes again if the last look is too old for a burst that takes pairs never held. False when that
   * cannot be done now.
   */
  readonly refreshForeign: () => Promise<boolean>;
  /** Resolves when what is known of groups is not half old and half new: a burst that began before would serve those it sees. */
  readonly whole: () => Promise<void>;
  /** The grant's turn comes soon. */
  readonly prepare: (grant: Grant) => void;
  readonly cut: (cut: Cut) => Promise<void>;
  readonly grant: (grant: Grant) => Promise<void>;
  readonly check: (check: Check) => Promise<void>;
  /** After the last round. Resolves to whether a route was written since the burst began. */
  readonly finish: () => Promise<boolean>;
  /** A fault of the translator itself. */
  readonly fault: (error: unknown) => void;
}

/** Route writes, gathered: at most one burst every interval, from a burst's end to the next one's start. */
export class BurstLane {
  readonly #parts: BurstParts;
  #running = false;
  #nextAt = 0;
  #timer: Cancel | undefined;
  #stopped = false;

  constructor(parts: BurstParts) {
    this.#parts = parts;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Milliseconds until the next burst may begin. */
  get wait(): number {
    return Math.max(0, this.#nextAt - this.#parts.clock.now());
  }

  /** Something may have to be written: begins a burst as soon as one may begin. */
  wake(): void {
    if (this.#running || this.#timer !== undefined || this.#stopped) return;
    if (!this.#parts.isOpen() || !this.#parts.claims.pending) return;
    const { clock } = this.#parts;
    const begin = (): void => {
      this.#timer = undefined;
      if (this.#parts.isOpen() && !this.#stopped) void this.#run().catch(this.#parts.fault);
    };
    this.#timer = this.wait === 0 ? clock.soon(begin) : clock.after(this.wait, begin);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
    this.#timer = undefined;
  }

  async #run(): Promise<void> {
    const { claims, clock } = this.#parts;
    this.#running = true;
    try {
      await this.#parts.whole();
      if (claims.takesFresh && !(await this.#parts.refreshForeign())) {
        this.#nextAt = clock.now() + blindPause;
        return;
      }
      claims.startBurst();
      while (!this.#stopped && this.#parts.isOpen()) {
        await this.#parts.whole();
        const round = claims.nextRound();
        if (!isEmpty(round)) await this.#send(round);
        else if (round.more !== true) break;
        else await new Promise<void>((resolve) => clock.soon(resolve));
      }
      const wrote = await this.#parts.finish();
      this.#nextAt = wrote ? clock.now() + this.#interval() : clock.now();
    } finally {
      this.#running = false;
      this.wake();
    }
  }

  /** Keys wait here, bodies do not: no more are asked for than can be sent soon. */
  async #send({ cuts, grants, checks = [] }: Round): Promise<void> {
    const { concurrency, prepare, cut, grant, check } = this.#parts;
    let prepared = 0;
    const prepareFrom = (next: number): void => {
      if (prepared - next >= concurrency) return;
      // As many at once as there are requests: for each alone another thread would be woken.
      const end = Math.min(next + 2 * concurrency, grants.length);
      for (const soon of grants.slice(prepared, end)) prepare(soon);
      prepared = Math.max(prepared, end);
    };
    const work = [
      ...cuts.map((item) => () => cut(item)),
      ...checks.map((item) => () => check(item)),
      ...grants.map((item, index) => () => {
        prepareFrom(index);
        return grant(item);
      }),
    ];
    let next = 0;
    const runner = async (): Promise<void> => {
      for (let item = work[next++]; item !== undefined; item = work[next++]) await item();
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, work.length) }, runner));
  }

  #interval(): number {
    const { interval, routes } = this.#parts;
    if (interval !== "auto") return interval;
    return Math.min(longestInterval, rebuildShare * rebuildPerRoute * routes());
  }
}
