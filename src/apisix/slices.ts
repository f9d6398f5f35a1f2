import type { Clock } from "../runtime.ts";

/** Milliseconds of work between two turns of the event loop. */
const sliceMs = 8;

/** Cuts long work into slices, between which everything else gets its turn. */
export class Slices {
  readonly #clock: Clock;
  #began: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  get isOver(): boolean {
    return this.#clock.now() - this.#began >= sliceMs;
  }

  /** Resolves in a later turn of the event loop. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#clock.soon(resolve);
    });
    this.#began = this.#clock.now();
  }
}
