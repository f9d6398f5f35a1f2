import type { Cancel, Clock } from "../runtime.ts";

interface Gathering {
  /** When the oldest change that has not been released came; undefined once released. */
  first: number | undefined;
  timer: Cancel;
}

/**
 * Gathers the changes of each upstream: a first change after `quiet` ms of silence is released at once; later ones when
 * `quiet` has passed without another, at the latest `maxDelay` after the first of them.
 */
export class Drip {
  readonly #clock: Clock;
  readonly #quiet: number;
  readonly #maxDelay: number;
  readonly #release: (id: string) => void;
  readonly #gathering = new Map<string, Gathering>();

  constructor(
    clock: Clock,
    limits: { readonly quiet: number; readonly maxDelay: number },
    release: (id: string) => void,
  ) {
    this.#clock = clock;
    this.#quiet = limits.quiet;
    this.#maxDelay = limits.maxDelay;
    this.#release = release;
  }

  /** Changes that wait. */
  get depth(): number {
    let waiting = 0;
    for (const { first } of this.#gathering.values()) if (first !== undefined) waiting++;
    return waiting;
  }

  changed(id: string): void {
    if (this.#quiet === 0) return this.#release(id);
    const gathering = this.#gathering.get(id);
    if (gathering === undefined) {
      this.#gathering.set(id, { first: undefined, timer: this.#wait(id, this.#quiet) });
      return this.#release(id);
    }
    const now = this.#clock.now();
    gathering.first ??= now;
    gathering.timer();
    gathering.timer = this.#wait(
      id,
      Math.max(0, Math.min(this.#quiet, gathering.first + this.#maxDelay - now)),
    );
  }

  stop(): void {
    for (const { timer } of this.#gathering.values()) timer();
    this.#gathering.clear();
  }

  #wait(id: string, ms: number): Cancel {
    return this.#clock.after(ms, () => {
      const gathering = this.#gathering.get(id);
      if (gathering?.first === undefined) return void this.#gathering.delete(id);
      gathering.first = undefined;
      gathering.timer = this.#wait(id, this.#quiet);
      this.#release(id);
    });
  }
}
