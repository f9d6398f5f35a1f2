import { planOf } from "./plan.ts";
import { plantedBugs } from "./plants.ts";
import type { Outcome } from "./run-schedule.ts";
import { runSchedule } from "./run-schedule.ts";

export interface SeedTask {
  readonly seed: number;
  /** The whole name of a planted bug. */
  readonly plant: string | undefined;
}

/** Runs one schedule, as a thread is told to; its last lines only where something was wrong. */
export async function runSeed({ seed, plant: name }: SeedTask): Promise<Outcome> {
  const plant = plantedBugs.find((bug) => bug.name === name);
  const outcome = await runSchedule(planOf(seed), plant === undefined ? {} : { plant });
  return outcome.violation === undefined ? { ...outcome, tail: [] } : outcome;
}
