import type { Cancel, Clock } from "../../../src/runtime.ts";

/** A new one each time: who waits for one that others share is never forgotten. */
const never = (): Promise<never> => new Promise(() => {});

export interface GateOptions {
  /** The world's. */
  readonly time: Clock;
  /** Where the process's monotonic clock begins: nobody may compare it with another's. */
  readonly origin: number;
}

/**
 * What stands between one process and the world. Once it is shut, the process is dead and hears nothing more. While it is
 * frozen, as by SIGSTOP, time goes on without it; what came meanwhile comes afterwards, turn by turn.
 */
export class Gate {
  /** The world's clock. */
  readonly time: Clock;
  /** The process's. */
  readonly clock: Clock;
  /** Milliseconds by which the process's wall clock goes wrong. */
  wallError = 0;
  #open = true;
  #waiting: (() => void)[] | undefined;
  readonly #onShut: (() => void)[] = [];

  constructor({ time, origin }: GateOptions) {
    this.time = time;
    this.clock = {
      now: () => time.now() + origin,
      wall: () => time.wall() + this.wallError,
      after: (ms, run) => this.#timer((fire) => time.after(ms, fire), run),
      soon: (run) => this.#timer((fire) => time.soon(fire), run),
    };
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get isFrozen(): boolean {
    return this.#waiting !== undefined;
  }

  /** As SIGKILL does. What is on its way to others arrives all the same. */
  shut(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting = undefined;
    for (const run of this.#onShut) run();
  }

  onShut(run: () => void): void {
    this.#onShut.push(run);
  }

  freeze(): void {
    if (this.#open) this.#waiting ??= [];
  }

  /** Timers that were due and messages that came have their turns now, in any order. */
  thaw(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const run of waiting) this.time.soon(() => this.enter(run));
  }

  /** A turn of the process: now, or when it is frozen no more. */
  enter(run: () => void): void {
    if (!this.#open) return;
    if (this.#waiting === undefined) run();
    else this.#waiting.push(run);
  }

  /** Settles as the promise does, never once the gate is shut. */
  promise<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.enter(() => resolve(value)),
        (error: unknown) => this.enter(() => reject(error as Error)),
      );
    });
  }

  async *body<T>(body: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.promise(pieces.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      void pieces.return?.();
    }
  }

  /** A request that a dead process would have sent is never answered, for it is never sent. */
  async pass(): Promise<void> {
    if (!this.#open) await never();
  }

  #timer(set: (fire: () => void) => Cancel, run: () => void): Cancel {
    let isOff = false;
    const cancel = set(() =>
      this.enter(() => {
        if (!isOff) run();
      }),
    );
    return () => {
      isOff = true;
      cancel();
    };
  }
}
