import fc from "fast-check";
import { expect, test } from "vitest";
import { makeProblem, showValue } from "../../src/declare/problem.ts";

test("a message names field, value and reason", () => {
  expect(makeProblem("web", "retries", 11, "allowed is 0 to 10")).toEqual({
    route: "web",
    field: "retries",
    value: 11,
    message: "retries is 11: allowed is 0 to 10",
  });
});

test("a value that is missing is said to be missing, and a route that is not known is left out", () => {
  expect(makeProblem(undefined, "port", undefined, "x")).toEqual({
    field: "port",
    value: undefined,
    message: "port is missing: x",
  });
});

test("whatever a user writes, a message fits an Event's note and shows no control or format character", () => {
  const text = fc.string({ unit: "binary", maxLength: 1000 });
  fc.assert(
    fc.property(text, fc.oneof(text, fc.anything()), text, (field, value, reason) => {
      const { message } = makeProblem(undefined, field, value, reason.slice(0, 150));
      expect(Buffer.byteLength(message)).toBeLessThan(1024);
      expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
    { numRuns: 500 },
  );
});

test("long values are cut, and never in the middle of a character", () => {
  expect(showValue("a".repeat(500))).toBe(`"${"a".repeat(99)}…`);
  expect(showValue("😀".repeat(500)).isWellFormed()).toBe(true);
});

test("a value that cannot be written as JSON is still shown", () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  let wide: unknown = 1;
  for (let depth = 0; depth < 60; depth++) wide = [wide, wide];
  expect(showValue(cycle)).toBe("an array");
  expect(showValue(wide)).toBe("an array");
  expect(showValue({ toJSON: () => cycle })).toBe("an object");
  expect(showValue(10n)).toBe("a bigint");
  expect(showValue(() => 1)).toBe("a function");
  expect(showValue(Number.NaN)).toBe("NaN");
});
