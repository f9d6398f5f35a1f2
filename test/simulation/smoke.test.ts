import { expect, it } from "vitest";
import { outcomesOf } from "./outcomes.ts";
import type { Outcome } from "./run-schedule.ts";

/** The first one brought a fleet group's former settings back, when an answer was lost and then a cluster. */
const seeds = [52, 1004];

async function run(jobs: number, order: readonly number[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const outcome of outcomesOf({ seeds: order, jobs, plant: undefined })) outcomes.push(outcome);
  return outcomes;
}

const here = run(1, [...seeds, ...seeds.slice(0, 1)]);

it("breaks no invariant, and plays a seed again to the last line of its trace after others", async () => {
  const outcomes = await here;
  for (const { violation, tail } of outcomes) expect(violation, tail.slice(-30).join("\n")).toBeUndefined();
  const [first, other, again] = outcomes;
  expect(again).toEqual(first);
  expect(other?.digest).not.toBe(first?.digest);
}, 60_000);

it("plays a seed again exactly in another thread, beside others", async () => {
  const [first, other] = await here;
  const digests = (await run(2, seeds.toReversed())).map(({ digest }) => digest);
  expect(digests).toEqual([other?.digest, first?.digest]);
}, 60_000);

it("gives up one that does not end, and names it", async () => {
  const found: Outcome[] = [];
  const options = { seeds, jobs: 2, plant: undefined, longest: 1 };
  for await (const outcome of outcomesOf(options)) found.push(outcome);
  expect(found.map(({ seed, violation }) => [seed, violation?.invariant])).toEqual([
    [52, "endless"],
    [1004, "endless"],
  ]);
});
