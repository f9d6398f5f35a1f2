/** A clock that moves only when told to. */
import type { Clock } from "../../../src/runtime.ts";

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class VirtualClock implements Clock {
  #now = 0;
  #order = 0;
  #timers: Timer[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return 1_800_000_000_000 + this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, order: (this.#order += 1), run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  soon(run: () => void): () => void {
    return this.after(0, run);
  }

  /** Runs what is due within `ms`, in order, letting promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const next = this.#timers
        .filter(({ at }) => at <= end)
        .toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((each) => each !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = end;
    await settled();
  }
}

/** A turn of the real event loop: every promise that can settle has settled by then. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
