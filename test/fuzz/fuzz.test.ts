import fc from "fast-check";
import { expect, it } from "vitest";
import { fuzz, targets } from "./run.ts";
import { makeTarget } from "./target.ts";

it("every parser stands a few hundred inputs, half of which get past its first step", async () => {
  const results = await fuzz(targets, 400, 42, () => {});
  expect(results.filter(({ finding }) => finding !== undefined)).toEqual([]);
  const sum = (of: "inputs" | "passed"): number => results.reduce((all, result) => all + result[of], 0);
  expect(sum("inputs")).toBeGreaterThanOrEqual(400);
  expect(sum("passed") * 2).toBeGreaterThan(sum("inputs"));
});

it.each<[string, (text: string) => { passed: boolean; wrong?: string }]>([
  ["throws", (text) => JSON.parse(text) as never],
  [
    "takes what is wrong for right",
    (text) => ({ passed: true, ...(text.length > 3 ? { wrong: "too long" } : {}) }),
  ],
])("a parser that %s is found, with the smallest input", async (_, take) => {
  const [result] = await fuzz([makeTarget("bad", 1, fc.string(), take)], 200, 1, () => {});
  expect(result?.finding).toContain("Counterexample");
});

it("a parser that takes too long for some input is found", async () => {
  const slow = (text: string): { passed: boolean } => {
    const started = process.threadCpuUsage();
    const worked = (): number => process.threadCpuUsage(started).user;
    while (text.includes("a") && worked() < 120_000);
    return { passed: true };
  };
  const [result] = await fuzz([makeTarget("slow", 1, fc.constantFrom("a", "b"), slow)], 4, 1, () => {});
  expect(result?.finding).toContain("took");
});
