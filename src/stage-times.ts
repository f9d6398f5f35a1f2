import type { Clock, TimeStage } from "./runtime.ts";
import type { ShardLinks } from "./shard/link.ts";

/** Takes what a stage has used since it was told last, in seconds. */
export type StageCpu = (stage: string, seconds: number) => void;

/**
 * How long the main thread worked for each of its stages. What runs within another stage's work counts for itself alone.
 * Nothing of it waits, so time is CPU time; two readings of the clock for each piece of work.
 */
export class StageTimes {
  readonly #clock: Clock;
  readonly #spent: StageCpu;
  #stage: string | undefined;
  #since = 0;

  constructor(clock: Clock, spent: StageCpu) {
    this.#clock = clock;
    this.#spent = spent;
  }

  /** Does the work, which is this stage's until it returns. */
  readonly time: TimeStage = (stage, work) => {
    const outer = this.#stage;
    this.#turn(stage);
    try {
      return work();
    } finally {
      this.#turn(outer);
    }
  };

  /** A clock whose calls are this stage's work. */
  clock(stage: string): Clock {
    const clock = this.#clock;
    return {
      now: () => clock.now(),
      wall: () => clock.wall(),
      after: (ms, run) => clock.after(ms, () => this.time(stage, run)),
      soon: (run) => clock.soon(() => this.time(stage, run)),
    };
  }

  /** Links of which what is heard is the work of `shard`. */
  links(links: ShardLinks): ShardLinks {
    return {
      start: (start, on) =>
        links.start(start, {
          message: (bytes) => this.time("shard", () => on.message(bytes)),
          lost: (reason, detail) => on.lost(reason, detail),
        }),
      close: () => links.close(),
    };
  }

  #turn(to: string | undefined): void {
    const now = this.#clock.now();
    if (this.#stage !== undefined) this.#spent(this.#stage, (now - this.#since) / 1000);
    this.#stage = to;
    this.#since = now;
  }
}
