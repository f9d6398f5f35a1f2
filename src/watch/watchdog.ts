import type { Cancel, Clock } from "../runtime.ts";

/**
 * Calls `bark` once when nothing has touched it for `limit` milliseconds. A touch costs one read of the clock, so that
 * it can be called for each chunk: the timer is set again only when it fires.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #bark: () => void;
  #last: number;
  #cancel: Cancel;

  constructor(clock: Clock, limit: number, bark: () => void) {
    this.#clock = clock;
    this.#limit = limit;
    this.#bark = bark;
    this.#last = clock.now();
    this.#cancel = clock.after(limit, () => this.#check());
  }

  touch(): void {
    this.#last = this.#clock.now();
  }

  stop(): void {
    this.#cancel();
  }

  #check(): void {
    const left = this.#last + this.#limit - this.#clock.now();
    // Timers may fire a fraction of a millisecond early.
    if (left < 1) this.#bark();
    else this.#cancel = this.#clock.after(left, () => this.#check());
  }
}
