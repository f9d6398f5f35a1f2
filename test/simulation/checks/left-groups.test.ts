import { expect, it } from "vitest";
import { LeftGroups } from "./left-groups.ts";

const none: ReadonlySet<string> = new Set();

it("what left later stood at that time, of its cluster; a fleet group counts in each", () => {
  const left = new LeftGroups();
  left.left("before", "west", 9);
  left.left("west", "west", 10);
  left.left("east", "east", 12);
  left.left("fleet", "", 12);
  expect([undefined, "west", "north"].map((cluster) => left.since(10, none, cluster))).toEqual([3, 2, 1]);
  expect(left.since(10, new Set(["west"]), "west")).toBe(1);
});

it("for whoever deleted it a group stands until that is answered", () => {
  const left = new LeftGroups();
  left.left("a", "west", 10);
  left.answered("a", 15);
  left.answered("b", 15);
  expect([15, 16].map((at) => left.since(at, none, undefined))).toEqual([1, 0]);
});

it("what stands again, or left before a new leader read what stands, has not left", () => {
  const left = new LeftGroups();
  for (const id of ["a", "b"]) left.left(id, "west", 10);
  left.stands("a");
  expect(left.since(0, none, undefined)).toBe(1);
  left.clear();
  expect(left.since(0, none, undefined)).toBe(0);
});
