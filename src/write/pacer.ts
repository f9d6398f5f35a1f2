import type { Cancel, Clock } from "../runtime.ts";
import { Fifo } from "./fifo.ts";

export type Lane = "drip" | "burst";

interface Task {
  readonly run: () => Promise<void>;
}

/**
 * Spreads requests over time: at most `concurrency` at once and `rate` a second (0: no limit), over both lanes. Endpoint
 * updates (drip) always go before route work (burst). While it is closed nothing starts; what runs ends.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #concurrency: number;
  /** Milliseconds between two starts. */
  readonly #spacing: number;
  readonly #queues: Readonly<Record<Lane, Fifo<Task>>> = { drip: new Fifo(), burst: new Fifo() };
  #running = 0;
  #open = true;
  #nextStart = 0;
  #timer: Cancel | undefined;

  constructor(clock: Clock, limits: { readonly concurrency: number; readonly rate: number }) {
    this.#clock = clock;
    this.#concurrency = limits.concurrency;
    this.#spacing = limits.rate === 0 ? 0 : 1000 / limits.rate;
  }

  get running(): number {
    return this.#running;
  }

  /** Requests that could begin now. */
  get free(): number {
    if (!this.#open || (this.#spacing > 0 && this.#clock.now() < this.#nextStart)) return 0;
    const free = this.#concurrency - this.#running - this.depth("drip") - this.depth("burst");
    return Math.max(0, this.#spacing > 0 ? Math.min(1, free) : free);
  }

  depth(lane: Lane): number {
    return this.#queues[lane].size;
  }

  /** Runs `request` when its turn comes; the result is the request's own. */
  run<T>(lane: Lane, request: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queues[lane].push({ run: () => request().then(resolve, reject) });
      this.#pump();
    });
  }

  open(): void {
    this.#open = true;
    this.#pump();
  }

  close(): void {
    this.#open = false;
  }

  #pump(): void {
    while (this.#open && this.#running < this.#concurrency && this.#timer === undefined) {
      if (this.#queues.drip.size === 0 && this.#queues.burst.size === 0) return;
      const wait = this.#nextStart - this.#clock.now();
      if (this.#spacing > 0 && wait > 0) {
        this.#timer = this.#clock.after(wait, () => {
          this.#timer = undefined;
          this.#pump();
        });
        return;
      }
      const task = this.#queues.drip.shift() ?? this.#queues.burst.shift();
      if (task === undefined) return;
      this.#nextStart = Math.max(this.#nextStart, this.#clock.now()) + this.#spacing;
      this.#running++;
      void task.run().finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }
}
