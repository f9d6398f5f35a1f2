import { describe, expect, it } from "vitest";
import { summaryOf } from "../../src/demo/summary.ts";
import { createMetrics } from "../../src/observe/metrics.ts";

describe("the demo's table", () => {
  it("says what each line means, and leaves out what did not happen", () => {
    const metrics = createMetrics({ withProcess: false });
    metrics.event("pods", "kept");
    for (let event = 0; event < 3; event++) metrics.event("pods", "identical");
    const write = { lane: "drip", method: "PUT", resource: "upstream", id: "t-1", seconds: 0.001 } as const;
    metrics.wrote({ ...write, outcome: "done", propagation: 2 });
    metrics.wrote({ ...write, outcome: "retry", propagation: undefined });
    const lines = summaryOf(metrics.totals()).split("\n");
    expect(lines[0]).toBe("In this demo:");
    const text = lines.map((line) => line.trim().replaceAll(/ {2,}/g, "|"));
    expect(text.slice(1, 6)).toEqual([
      "events seen|4|what the clusters' watches sent",
      "kept|1|25.0 %|may change a route or its nodes",
      "dropped: identical|3|75.0 %|told by a hash of the bytes that count, nothing decoded",
      "drip upstream writes, done|1|nodes: each at once",
      "drip upstream writes, retry|1|did not succeed, tried again",
    ]);
    expect(text.join("\n")).not.toContain("burst");
  });
});
