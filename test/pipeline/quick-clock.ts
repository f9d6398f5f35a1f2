import type { Cancel, Clock } from "../../src/runtime.ts";
import { systemClock } from "../../src/runtime.ts";

/** Milliseconds: as much counts at most between two looks at what is due. */
const longestStep = 4;

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/**
 * The system's clock, `speed` times as fast: what the translator does after 10 s it does after 0.2 s at 50. Sockets keep
 * their own pace, so limits on a request's time must be given accordingly.
 *
 * Time in which nothing gets its turn hardly counts: on a machine that lets this process run now and then only, requests
 * would else be given up that there is just nobody to answer.
 */
export class QuickClock implements Clock {
  readonly #speed: number;
  /** By when they are due; of those due at once, the first that was set. */
  #timers: Timer[] = [];
  #counted = 0;
  #lastLook = performance.now();
  #isLooking = false;
  #isStopped = false;

  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return this.#counted + Math.min(performance.now() - this.#lastLook, longestStep) * this.#speed;
  }

  wall(): number {
    return Date.now();
  }

  after(ms: number, run: () => void): Cancel {
    const timer = { due: this.now() + ms, run };
    const at = this.#timers.findLastIndex(({ due }) => due <= timer.due);
    if (!this.#isStopped) this.#timers.splice(at + 1, 0, timer);
    if (!this.#isLooking) this.#look();
    return () => {
      const found = this.#timers.indexOf(timer);
      if (found !== -1) this.#timers.splice(found, 1);
    };
  }

  soon(run: () => void): Cancel {
    return systemClock.soon(run);
  }

  /** Nothing that was to be done later is done any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timers = [];
  }

  #look(): void {
    this.#counted = this.now();
    this.#lastLook = performance.now();
    this.#isLooking = this.#timers.length > 0;
    // Before anything runs, which may throw.
    if (this.#isLooking) setTimeout(() => this.#runDue(), 1);
  }

  #runDue(): void {
    this.#look();
    while ((this.#timers[0]?.due ?? Number.POSITIVE_INFINITY) <= this.#counted) this.#timers.shift()?.run();
  }
}
