import type { Clock } from "../runtime.ts";

/** Groups in one turn of the event loop: a few milliseconds. */
const portion = 250;

/**
 * Work on many groups, a portion in each turn of the event loop, so that requests, leases and watches never wait for all of
 * a fleet. One piece of work after the other.
 */
export class Portions {
  readonly #clock: Clock;
  readonly #fault: (error: unknown) => void;
  #running: Promise<void> | undefined;

  constructor(clock: Clock, fault: (error: unknown) => void) {
    this.#clock = clock;
    this.#fault = fault;
  }

  /** Something has been begun and not ended. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves once everything that was begun has ended. */
  async whole(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /**
   * Handles every item that there is when its turn comes, and then calls `done`: both at once, if they are few and nothing
   * else is running. Items may come and go meanwhile, where the iterable allows it, as a Map's do.
   */
  run<T>(items: Iterable<T>, handle: (item: T) => unknown, done: () => void = () => {}): void {
    const before = this.#running;
    const iterator = items[Symbol.iterator]();
    if (before === undefined && take(iterator, handle)) return done();
    const work = this.#goOn(before, iterator, handle, done).catch(this.#fault);
    const ended: Promise<void> = work.then(() => {
      if (this.#running === ended) this.#running = undefined;
    });
    this.#running = ended;
  }

  /** As `run`; but a few that owe nothing to what is running do not wait for it. */
  each<T>(items: readonly T[], handle: (item: T) => unknown, done: () => void = () => {}): void {
    if (items.length > portion) return this.run(items, handle, done);
    for (const item of items) handle(item);
    done();
  }

  async #goOn<T>(
    before: Promise<void> | undefined,
    iterator: Iterator<T>,
    handle: (item: T) => unknown,
    done: () => void,
  ): Promise<void> {
    await before;
    do await new Promise<void>((resolve) => this.#clock.soon(resolve));
    while (!take(iterator, handle));
    done();
  }
}

/** Whether nothing is left. */
function take<T>(iterator: Iterator<T>, handle: (item: T) => unknown): boolean {
  for (let taken = 0; taken < portion; taken++) {
    const next = iterator.next();
    if (next.done === true) return true;
    handle(next.value);
  }
  return false;
}
