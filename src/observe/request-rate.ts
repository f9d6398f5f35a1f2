import type { Clock } from "../runtime.ts";

/** A token bucket: so many at once, then so many a second. */
export class RequestRate {
  readonly #clock: Pick<Clock, "now">;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #asOf: number;

  constructor(clock: Pick<Clock, "now">, { perSecond, burst }: { perSecond: number; burst: number }) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#asOf = clock.now();
  }

  /** Whether one more may come now; if so, it counts. */
  take(): boolean {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#asOf) * this.#perSecond) / 1000);
    this.#asOf = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
