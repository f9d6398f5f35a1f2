import { describe, expect, it } from "vitest";
import { growthOf, leastOf, type Holding } from "./holding.ts";

const mb = 1024 * 1024;
const holding: Holding = {
  ...{ heap: 20 * mb, shards: 10 * mb, code: 5 * mb, buffers: 5 * mb, rss: 150 * mb },
  ...{ timers: 20, handles: 60, sockets: 30, resources: {} },
};

describe("what a soak takes for a leak", () => {
  it.each([
    ["the same", {}, []],
    ["a heap that is 4% larger", { heap: 20.8 * mb }, []],
    ["a heap that is 6% larger", { heap: 21.2 * mb }, ["heap"]],
    ["a shard's", { shards: 10.6 * mb }, ["shards"]],
    ["buffers that are 20% larger, but no megabyte", { buffers: 5.9 * mb }, []],
    ["buffers", { buffers: 6.1 * mb }, ["buffers"]],
    ["two timers more", { timers: 22 }, []],
    ["three", { timers: 23 }, ["timers"]],
    ["nine sockets", { handles: 69, sockets: 39 }, ["handles", "sockets"]],
    ["a larger RSS, and more code", { rss: 300 * mb, code: 9 * mb }, []],
    ["less of everything", { heap: mb, shards: mb, buffers: 0, timers: 1, handles: 1, sockets: 1 }, []],
  ])("%s", (_what, change, leaks) => {
    expect(growthOf(holding, { ...holding, ...change }, 0.05).leaks).toEqual(leaks);
  });

  it("of several looks the least of each counts", () => {
    const looks = [holding, { ...holding, heap: 19 * mb, sockets: 40 }, { ...holding, timers: 18 }];
    expect(leastOf(looks)).toEqual({ ...holding, heap: 19 * mb, timers: 18 });
  });
});
