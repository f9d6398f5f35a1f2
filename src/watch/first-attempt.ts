import type { Clock } from "../runtime.ts";
import { Watchdog } from "./watchdog.ts";

/** PRODUCT.md, "Conflicts": a cluster that has sent nothing for so long is not waited for in a term's first reconcile. */
const silentAfter = 10_000;

/**
 * Whether a cluster need no longer be waited for: each of its kinds is synced or has failed once, or it has sent
 * nothing for 10 s. Once over it stays over.
 */
export class FirstAttempt {
  readonly #ended: () => void;
  readonly #silence: Watchdog;
  #over = false;

  /** `ended` is called once, never from within the constructor. */
  constructor(clock: Clock, ended: () => void) {
    this.#ended = ended;
    this.#silence = new Watchdog(clock, silentAfter, () => this.end());
  }

  get over(): boolean {
    return this.#over;
  }

  heard(): void {
    this.#silence.touch();
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#silence.stop();
    this.#ended();
  }

  /** Nothing more is said, and `over` stays what it is. */
  stop(): void {
    this.#silence.stop();
  }
}
