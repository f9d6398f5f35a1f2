import type { Cancel, Clock } from "../runtime.ts";

/** Ticks without an answer that make a hang. Ticks are counted, not time: a main thread that stood still blames nobody. */
const silentTicks = 4;

/**
 * Notices that work is outstanding and nothing comes back: after 4/5 of `patience` at the earliest, `patience` at the
 * latest.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #tick: number;
  readonly #isBusy: () => boolean;
  readonly #hangs: () => void;
  #silent = 0;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(clock: Clock, patience: number, isBusy: () => boolean, hangs: () => void) {
    this.#clock = clock;
    this.#tick = patience / (silentTicks + 1);
    this.#isBusy = isBusy;
    this.#hangs = hangs;
  }

  /** Something was sent: watch for an answer. */
  watch(): void {
    if (this.#stopped) return;
    this.#cancel ??= this.#clock.after(this.#tick, () => this.#look());
  }

  /** Something came back. */
  heard(): void {
    this.#silent = -1;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #look(): void {
    this.#cancel = undefined;
    if (!this.#isBusy()) {
      this.#silent = 0;
      return;
    }
    this.#silent++;
    if (this.#silent >= silentTicks) this.#hangs();
    else this.watch();
  }
}
