import type { Plan } from "./plan.ts";
import type { Outcome, RunOptions } from "./run-schedule.ts";
import { runSchedule } from "./run-schedule.ts";

/** Schedules that are run at most: shrinking must not take longer than looking at what is left. */
const runsAtMost = 200;

export interface Shrunk {
  readonly plan: Plan;
  /** Which of the plan's actions are left, by their place in it. */
  readonly kept: readonly number[];
  readonly outcome: Outcome;
}

/** The plan with some of its actions only. */
export function withOnly(plan: Plan, kept: readonly number[]): Plan {
  return { ...plan, actions: plan.actions.filter((_, index) => kept.includes(index)) };
}

/**
 * Leaves out of a failing schedule what it does not need to break the same invariant: halves, quarters, single actions,
 * until nothing more can be left out.
 */
export async function shrink(plan: Plan, failed: Outcome, options: RunOptions): Promise<Shrunk> {
  let kept = plan.actions.map((_, index) => index);
  let outcome = failed;
  let runs = 0;
  const fails = async (attempt: readonly number[]): Promise<boolean> => {
    if (runs++ >= runsAtMost) return false;
    const tried = await runSchedule(withOnly(plan, attempt), options);
    if (tried.violation?.invariant !== failed.violation?.invariant) return false;
    outcome = tried;
    return true;
  };
  for (let size = Math.ceil(kept.length / 2); size >= 1 && runs < runsAtMost;) {
    let hasShrunk = false;
    for (let from = 0; from < kept.length;) {
      const attempt = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (attempt.length < kept.length && (await fails(attempt))) {
        kept = attempt;
        hasShrunk = true;
      } else from += size;
    }
    if (size === 1 && !hasShrunk) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return { plan: withOnly(plan, kept), kept, outcome };
}
