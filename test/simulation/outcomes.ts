import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { planOf } from "./plan.ts";
import type { PlantedBug } from "./plants.ts";
import type { Outcome } from "./run-schedule.ts";
import { runSchedule } from "./run-schedule.ts";
import type { SeedTask } from "./run-seed.ts";

/** Schedules that are begun before the one that is asked for has ended: a shrinking must not leave the threads idle. */
const ahead = 64;
/** Milliseconds, of waiting for a thread too: a schedule takes a second. One that goes on in a single turn never ends by itself. */
const longest = 300_000;
/** Most of what a schedule makes lives shortly: fewer collections of it, and none of it grows old. */
const youngMegabytes = 64;

export interface OutcomesOptions {
  readonly seeds: readonly number[];
  /** Threads; 1: none but this one. */
  readonly jobs: number;
  readonly plant: PlantedBug | undefined;
  /** Milliseconds after which a schedule is given up, where there are several threads. */
  readonly longest?: number;
}

/** Runs schedules on several threads, and yields what became of each in the order of the seeds. Errors: a thread that died. */
export async function* outcomesOf(options: OutcomesOptions): AsyncGenerator<Outcome, void, void> {
  const { seeds, jobs, plant } = options;
  const threads = Math.min(jobs, seeds.length);
  if (threads > 1) return yield* threaded({ ...options, jobs: threads });
  for (const seed of seeds) yield await runSchedule(planOf(seed), plant === undefined ? {} : { plant });
}

async function* threaded(options: OutcomesOptions): AsyncGenerator<Outcome, void, void> {
  const { seeds, jobs, plant, longest: most = longest } = options;
  const pool = new Piscina<SeedTask, Outcome>({
    filename: fileURLToPath(new URL("run-seed.ts", import.meta.url)),
    name: "runSeed",
    minThreads: jobs,
    maxThreads: jobs,
    recordTiming: false,
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
  });
  const begun: Promise<Outcome>[] = [];
  const begin = (): void => {
    const seed = seeds[begun.length];
    if (seed === undefined) return;
    const signal = AbortSignal.timeout(most);
    const outcome = pool.run({ seed, plant: plant?.name }, { signal });
    begun.push(
      outcome.catch((error: unknown) => (signal.aborted ? endless(seed, most) : Promise.reject(error))),
    );
  };
  try {
    while (begun.length < Math.min(ahead, seeds.length)) begin();
    for (let index = 0; index < seeds.length; index++) {
      begin();
      const outcome = begun[index];
      if (outcome === undefined) return;
      yield await outcome;
    }
  } finally {
    // Whoever asks for no more has no use for what is under way.
    for (const outcome of begun) outcome.catch(() => {});
    await pool.destroy();
  }
}

function endless(seed: number, most: number): Outcome {
  const text = `it does not end: given up after ${most / 1000} s; --trace shows what came last`;
  return {
    ...{ seed, violation: { invariant: "endless", text, at: NaN }, digest: "", tail: [] },
    ...{ steps: 0, requests: 0, lasted: 0 },
  };
}
