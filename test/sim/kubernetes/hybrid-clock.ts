import type { Cancel, Clock } from "../../../src/runtime.ts";

/** Delays of zero pass by themselves, as real I/O does; longer ones only when a test says `advance`. */
export class HybridClock implements Clock {
  #now = 1000;
  #sequence = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return Date.parse("2026-03-01T08:00:00Z") + this.#now;
  }

  after(ms: number, run: () => void): Cancel {
    if (ms <= 0) return this.soon(run);
    this.#sequence += 1;
    const id = this.#sequence;
    this.#timers.set(id, { at: this.#now + ms, run });
    return () => void this.#timers.delete(id);
  }

  soon(run: () => void): Cancel {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, timer]) => timer.at <= end);
      const [next] = due.sort(([a, x], [b, y]) => x.at - y.at || a - b);
      if (next === undefined) break;
      this.#timers.delete(next[0]);
      this.#now = next[1].at;
      next[1].run();
    }
    this.#now = end;
  }
}
