import { describe, expect, it } from "vitest";
import { load, minimal } from "./given.ts";

/** Every key of `shards` and `throttle`: a text that is not the default, and what it means. */
const rows: Readonly<Record<"shards" | "throttle", Readonly<Record<string, readonly [string, unknown]>>>> = {
  shards: { count: ["3", 3], by: ["cluster", "cluster"] },
  throttle: {
    quiet: ["70ms", 70],
    maxDelay: ["3s", 3000],
    concurrency: ["7", 7],
    rate: ["250", 250],
    routeInterval: ["4s", 4000],
    deleteGrace: ["1m", 60_000],
  },
};

describe.each(["shards", "throttle"] as const)("%s", (section) => {
  const keys = Object.entries(rows[section]);

  it("has these keys and no others", () => {
    expect(Object.keys(load({ yaml: minimal })[section]).toSorted()).toEqual(
      keys.map(([key]) => key).toSorted(),
    );
  });

  it.each(keys)("%s is a flag", (key, [text, value]) => {
    const flags = { [`${section}.${key}`]: text };
    expect(load({ yaml: minimal, flags })[section]).toEqual({
      ...load({ yaml: minimal })[section],
      [key]: value,
    });
  });
});
