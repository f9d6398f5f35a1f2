import fc from "fast-check";
import { expect, it } from "vitest";
import { Quantiles } from "../../src/observe/quantiles.ts";

it("is within 2 % of the exact quantile, whatever the durations", () => {
  const durations = fc.array(fc.double({ min: 2e-5, max: 900, noNaN: true }), {
    minLength: 1,
    maxLength: 200,
  });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.01, 0.5, 0.9, 0.99, 1), (seconds, q) => {
      const quantiles = new Quantiles();
      for (const each of seconds) quantiles.add(each);
      const exact = seconds.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(q * seconds.length)) - 1] ?? 0;
      const found = quantiles.at(q) ?? 0;
      expect(Math.abs(found / exact - 1)).toBeLessThan(0.021);
    }),
  );
});

it("takes what lies outside its range as the nearest it knows", () => {
  const quantiles = new Quantiles();
  expect(quantiles.at(0.5)).toBeUndefined();
  for (const odd of [0, -1, 1e9]) quantiles.add(odd);
  expect(quantiles.total).toBe(3);
  expect(quantiles.at(0.5)).toBeLessThan(1e-4);
  expect(quantiles.at(1)).toBeGreaterThan(900);
});
