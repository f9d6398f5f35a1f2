import { expect, test } from "vitest";
import { compareAge, compareClaims } from "../../src/claims/age.ts";
import type { Claim } from "../../src/claims/claim.ts";
import { identity } from "./world.ts";

const age = { created: 5, cluster: "c", namespace: "n", name: "p" };
const claim: Claim = { id: "t-5", identity: identity(), age, pairs: [], inherits: false, dirty: false };

test("ages are compared by created, then cluster, namespace, name", () => {
  const older = [
    { created: 4, cluster: "z", namespace: "z", name: "z" },
    { ...age, cluster: "b", namespace: "z", name: "z" },
    { ...age, namespace: "m", name: "z" },
    { ...age, name: "o" },
  ];
  for (const other of older) {
    expect(compareAge(other, age)).toBeLessThan(0);
    expect(compareAge(age, other)).toBeGreaterThan(0);
  }
  expect(compareAge(age, { ...age })).toBe(0);
});

test("names are compared bytewise, not as people sort them", () => {
  expect(compareAge({ ...age, name: "a-10" }, { ...age, name: "a-9" })).toBeLessThan(0);
  expect(compareAge({ ...age, name: "Z" }, { ...age, name: "a" })).toBeLessThan(0);
});

test("an heir goes before an older claim, and of two the older; two of one object are told apart by id", () => {
  const heir = { ...claim, age: { ...age, created: 9 }, inherits: true };
  expect(compareClaims(heir, claim)).toBeLessThan(0);
  expect(compareClaims(claim, heir)).toBeGreaterThan(0);
  expect(compareClaims({ ...heir, age }, heir)).toBeLessThan(0);
  expect(compareClaims({ ...claim, id: "t-4" }, claim)).toBeLessThan(0);
});
