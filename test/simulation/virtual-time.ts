import type { Cancel, Clock } from "../../src/runtime.ts";
import type { SeededRandom } from "./seeded-random.ts";

interface Turn {
  readonly at: number;
  /** Order among turns of the same time. */
  readonly rank: number;
  readonly order: number;
  /** Undefined once it is called off. */
  run: (() => void) | undefined;
}

/** Steps taken in one turn of the real event loop: polling it costs more than a step. */
const stepsEach = 32;
/** A schedule that needs more than this turns in circles. */
const stepsAtMost = 3_000_000;
const epoch = Date.parse("2026-03-01T08:00:00Z");

/**
 * The one clock of a simulated world. Time stands still while anything is runnable and then jumps to what is due next;
 * after each turn every promise that can settle has settled.
 *
 * Timers of the same time fire in the order in which they were set. Turns asked for with `soon` are taken in any order
 * where `shuffled`, as messages of several threads and sockets arrive.
 */
export class VirtualTime implements Clock {
  readonly #random: SeededRandom;
  readonly #shuffled: boolean;
  readonly #heap: Turn[] = [];
  #now = 0;
  #order = 0;
  steps = 0;

  constructor(random: SeededRandom, shuffled: boolean) {
    this.#random = random;
    this.#shuffled = shuffled;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return epoch + this.#now;
  }

  after(ms: number, run: () => void): Cancel {
    return this.#add(this.#now + Math.max(0, ms), 0.5, run);
  }

  soon(run: () => void): Cancel {
    return this.#add(this.#now, this.#shuffled ? this.#random.next() : 0.5, run);
  }

  /** Takes turns until `ms` have passed or `over` says so, which is asked after each turn. */
  pass(ms: number, over: () => boolean): Promise<void> {
    const end = this.#now + ms;
    return new Promise((resolve, reject) => {
      let ended = false;
      const step = (): void => {
        if (ended) return;
        try {
          ended = over() || !this.#step(end);
        } catch (error) {
          ended = true;
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        if (ended) resolve();
      };
      const round = (): void => {
        if (ended) return;
        for (let left = stepsEach; left > 0; left--) setImmediate(step);
        setImmediate(round);
      };
      round();
    });
  }

  /** False: nothing is due until `end`. */
  #step(end: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > end) {
        this.#now = end;
        return false;
      }
      this.#removeFirst();
      if (next.run === undefined) continue;
      if (++this.steps > stepsAtMost) throw new Error("the schedule does not end: too many steps");
      this.#now = next.at;
      const { run } = next;
      next.run = undefined;
      run();
      return true;
    }
  }

  #add(at: number, rank: number, run: () => void): Cancel {
    const turn: Turn = { at, rank, order: this.#order++, run };
    this.#heap.push(turn);
    this.#rise(this.#heap.length - 1);
    return () => {
      turn.run = undefined;
    };
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let first = this.#before(left, at) ? left : at;
      if (this.#before(right, first)) first = right;
      if (first === at) return;
      this.#swap(at, first);
      at = first;
    }
  }

  #before(one: number, other: number): boolean {
    const a = this.#heap[one];
    const b = this.#heap[other];
    if (a === undefined || b === undefined) return false;
    return (
      a.at - b.at < 0 || (a.at === b.at && (a.rank < b.rank || (a.rank === b.rank && a.order < b.order)))
    );
  }

  #swap(one: number, other: number): void {
    const a = this.#heap[one];
    const b = this.#heap[other];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
