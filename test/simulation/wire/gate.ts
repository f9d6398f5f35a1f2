import type { Cancel, Clock } from "../../../src/runtime.ts";

/** A new one each time: who waits for one that others share is never forgotten. */
const never = (): Promise<never> => new Promise(() => {});

/** What stands between one process and the world: once it is shut, the process is dead and hears nothing more. */
export class Gate {
  readonly clock: Clock;
  #open = true;
  readonly #onShut: (() => void)[] = [];

  constructor(clock: Clock) {
    const guarded = (run: () => void) => () => {
      if (this.#open) run();
    };
    this.clock = {
      now: () => clock.now(),
      wall: () => clock.wall(),
      after: (ms, run): Cancel => clock.after(ms, guarded(run)),
      soon: (run): Cancel => clock.soon(guarded(run)),
    };
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** As SIGKILL does. What is on its way to others arrives all the same. */
  shut(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const run of this.#onShut) run();
  }

  onShut(run: () => void): void {
    this.#onShut.push(run);
  }

  /** Settles as the promise does, never once the gate is shut. */
  promise<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.#open && resolve(value),
        (error: unknown) => this.#open && reject(error as Error),
      );
    });
  }

  async *body<T>(body: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    for await (const piece of body) {
      if (!this.#open) await never();
      yield piece;
    }
    if (!this.#open) await never();
  }
}
