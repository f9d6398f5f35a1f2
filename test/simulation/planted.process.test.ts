import { expect, it } from "vitest";
import type { Violation } from "./checks/check.ts";
import { planOf } from "./plan.ts";
import type { PlantedBug } from "./plants.ts";
import { plantedBugs } from "./plants.ts";
import { runSchedule } from "./run-schedule.ts";

/** A bug must show within this many schedules. */
const seeds = 40;

async function firstViolation(bug: PlantedBug): Promise<Violation | undefined> {
  for (let seed = bug.from; seed < bug.from + seeds; seed++) {
    const { violation } = await runSchedule(planOf(seed), { plant: bug });
    if (violation !== undefined) return violation;
  }
  return undefined;
}

it.each(plantedBugs)("finds the planted bug: $name", async (bug) => {
  const violation = await firstViolation(bug);
  expect(bug.breaks, violation?.text).toContain(violation?.invariant);
});

it("has a planted bug for each invariant that it checks", () => {
  const broken = new Set(plantedBugs.flatMap(({ breaks }) => breaks));
  for (const invariant of [1, 2, 3, 4, 5, 6, 7, 8, 10, "guard", "pause"] as const)
    expect(broken).toContain(invariant);
});
