import type { Clock, Log } from "../runtime.ts";
import type { Pacer } from "./pacer.ts";
import type { Removals } from "./removals.ts";

/** How often the end of what is in flight is looked for. */
const lookEvery = 5;

export interface PauseParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly pacer: Pacer;
  readonly removals: Removals;
  /** Everything may be written again. */
  readonly resumed: () => void;
}

/**
 * An operator's stop to all writes. Reads and watches go on; keys wait, so that the newest state is written afterwards.
 * Removals are gathered meanwhile and judged whole at its end, as those of a relist: a long pause must not fill the
 * guard's window again and again and then empty everything at once.
 *
 * Lives in memory only: a restart, or another leader, is not paused.
 */
export class Pause {
  readonly #parts: PauseParts;
  #isOn = false;

  constructor(parts: PauseParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Resolves when what was in flight has ended: nothing is written from then on. */
  async begin(): Promise<void> {
    const { clock, log, pacer, removals } = this.#parts;
    if (!this.#isOn) {
      this.#isOn = true;
      removals.suspend("pause");
      const advice = "POST /resume when writes may go on; a restart ends the pause too";
      log.warn({ advice }, "paused: nothing is written to APISIX");
    }
    while (pacer.running > 0) await new Promise<void>((resolve) => clock.after(lookEvery, resolve));
  }

  end(): void {
    if (!this.#isOn) return;
    const { log, removals, resumed } = this.#parts;
    this.#isOn = false;
    log.info({}, "resumed: the newest state is written");
    removals.resume("pause");
    resumed();
  }
}
