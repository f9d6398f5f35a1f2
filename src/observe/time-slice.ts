import type { Clock } from "../runtime.ts";

/** Milliseconds that long work may keep the event loop at a time. */
const longest = 4;
/** Steps between two looks at the clock. */
const stride = 32;
/** A slice is over after so many steps, though the clock stand still. */
const mostSteps = 1024;

/** Long work over many things, in slices: everybody else has a turn between them. */
export class TimeSlice {
  readonly #clock: Pick<Clock, "now" | "soon">;
  #steps = 0;
  #began: number;

  constructor(clock: Pick<Clock, "now" | "soon">) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** Asked after each step: whether to `rest` before the next one. */
  isOver(): boolean {
    this.#steps += 1;
    if (this.#steps % stride !== 0) return false;
    return this.#steps >= mostSteps || this.#clock.now() - this.#began >= longest;
  }

  async rest(): Promise<void> {
    await new Promise<void>((resolve) => void this.#clock.soon(resolve));
    this.#steps = 0;
    this.#began = this.#clock.now();
  }
}
