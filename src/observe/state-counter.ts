import type { Clock } from "../runtime.ts";
import type { Records } from "../write/records.ts";
import { countGroup, countStray, noStates } from "./count-states.ts";
import type { Counting } from "./count-states.ts";
import type { StateCounts } from "./state.ts";
import type { StateFacts } from "./states.ts";
import { TimeSlice } from "./time-slice.ts";

/** Milliseconds for which a count that took more than one turn is told again. */
const freshFor = 1000;

export interface StateCounterParts {
  readonly clock: Clock;
  readonly records: Pick<Records, "all" | "strays">;
  readonly facts: StateFacts;
}

/**
 * Counts declarations by state, a few at a time: the event loop goes on between. While things move a count of many is
 * as of several moments; when they are quiet it is exact. Askers at the same time share one count.
 */
export class StateCounter {
  readonly #parts: StateCounterParts;
  #running: Promise<StateCounts> | undefined;
  #last: { readonly counts: StateCounts; readonly until: number } | undefined;

  constructor(parts: StateCounterParts) {
    this.#parts = parts;
  }

  counts(): Promise<StateCounts> {
    if (this.#last !== undefined && this.#parts.clock.now() < this.#last.until)
      return Promise.resolve(this.#last.counts);
    this.#running ??= this.#count().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #count(): Promise<StateCounts> {
    const { clock } = this.#parts;
    const counting = noStates();
    const work = this.#each(counting);
    const slice = new TimeSlice(clock);
    let isLong = false;
    while (work.next().done !== true) {
      if (!slice.isOver()) continue;
      isLong = true;
      await slice.rest();
    }
    this.#last = isLong ? { counts: counting, until: clock.now() + freshFor } : undefined;
    return counting;
  }

  *#each(counting: Counting): Generator<void> {
    const { records, facts } = this.#parts;
    for (const record of records.all()) {
      countGroup(counting, record, facts);
      yield;
    }
    for (const stray of records.strays()) {
      countStray(counting, stray);
      yield;
    }
  }
}
