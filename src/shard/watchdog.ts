import type { Cancel, Clock } from "../runtime.ts";

/** Ticks without an answer that make a hang. Ticks are counted, not time: a main thread that stood still blames nobody. */
const silentTicks = 4;

/** Ticks without an answer after which a thread hangs though it has hardly had a core: it waits for what does not come. */
const blockedTicks = 30;

/** Of `patience`: the CPU that a silent thread must have used to count as hanging. One that used less waits for a core. */
const busyShare = 0.4;

export interface WatchdogParts {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly patience: number;
  /** Work is outstanding. */
  readonly isBusy: () => boolean;
  readonly hangs: () => void;
  /** Seconds of CPU that the thread has used until now, also while it answers nothing; absent: it has no thread of its own. */
  readonly used?: () => Promise<number> | undefined;
}

/**
 * Notices that work is outstanding and nothing comes back: after 4/5 of `patience` at the earliest, `patience` at the
 * latest, where the thread had a core meanwhile. One that had none is given up after six times `patience`.
 */
export class Watchdog {
  readonly #parts: WatchdogParts;
  readonly #tick: number;
  #silent = 0;
  /** What had been used when the silence began; no promise: not asked, or nobody can say. */
  #usedBefore: Promise<number> | undefined;
  #cancel: Cancel | undefined;
  #stopped = false;

  constructor(parts: WatchdogParts) {
    this.#parts = parts;
    this.#tick = parts.patience / (silentTicks + 1);
  }

  /** Something was sent: watch for an answer. */
  watch(): void {
    if (this.#stopped) return;
    this.#cancel ??= this.#parts.clock.after(this.#tick, () => this.#look());
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
    if (!this.#parts.isBusy()) {
      this.#silent = 0;
      return;
    }
    this.#silent++;
    if (this.#silent <= 1) this.#usedBefore = this.#parts.used?.();
    if (this.#silent < silentTicks) return this.watch();
    const used = this.#parts.used?.();
    if (used === undefined || this.#usedBefore === undefined || this.#silent >= blockedTicks)
      return this.#hangs();
    void this.#judge(this.#usedBefore, used);
    // A thread that is kept by the system, not by code, does not even say what it has used.
    this.watch();
  }

  async #judge(before: Promise<number>, now: Promise<number>): Promise<void> {
    const used = (await now) - (await before);
    if (this.#stopped || this.#silent < silentTicks || before !== this.#usedBefore) return;
    if (used * 1000 >= this.#parts.patience * busyShare) this.#hangs();
  }

  #hangs(): void {
    this.stop();
    this.#parts.hangs();
  }
}
