/** What APISIX gives back of the numbers that a declaration may hold: decision 0032. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { contentDigest, sealed } from "../../src/apisix/canonical.ts";
import type { JsonObject } from "../../src/apisix/types.ts";
import { parseRoutes } from "../../src/declare/parse.ts";
import { parseLuaJson } from "../../src/sim/admin/lua-number.ts";
import { apisixNumbers } from "../fixtures/apisix-numbers.ts";

/** As a route's plugins. Undefined: the declaration is Invalid. */
function declared(text: string): JsonObject | undefined {
  const { readable, ...annotation } = parseRoutes(
    `[{"name": "a", "port": 1, "plugins": {"x": {"y": [${text}]}}}]`,
    "pod",
  );
  if (!readable || !("entries" in annotation)) throw new Error("not readable");
  const [entry] = annotation.entries;
  return entry?.ok === true ? { plugins: entry.declaration.plugins as JsonObject } : undefined;
}

function expectStands(body: JsonObject): void {
  const { text, digest } = sealed(body);
  const stands = parseLuaJson(text) as JsonObject;
  expect(stands).toMatchObject(body);
  expect(contentDigest(stands)).toBe(digest);
}

const isRefused = (text: string): boolean => declared(text) === undefined;

test("of what was measured, only whole numbers of more than 14 digits are Invalid", () => {
  const refused = apisixNumbers.filter(([sent]) => isRefused(sent));
  const changed = apisixNumbers.filter(
    ([sent, back]) =>
      Math.abs(Number(sent)) >= 1e14 && Number(sent) !== Number(back) && !/^-?10*$/.test(sent),
  );
  expect(refused).toEqual(changed);
  expect(refused.length).toBeGreaterThan(20);
});

test.each(apisixNumbers.filter(([sent]) => !isRefused(sent)))("%s is read back as it was sealed", (sent) => {
  expectStands(declared(sent) ?? {});
});

test("any number that may be declared is read back as it was sealed", () => {
  const numbers = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.integer({ min: -400, max: 308 }).map((exponent) => Number(`1e${exponent}`)),
    fc.integer({ min: -9_999_999, max: 9_999_999 }).map((n) => n * 1e14),
    fc.integer({ min: 0, max: 99_999_999_999_999 }).map((n) => n / 8),
  );
  fc.assert(
    fc.property(numbers, (number) => {
      const body = declared(String(number));
      if (body !== undefined) expectStands(body);
    }),
    { numRuns: 1000 },
  );
});
