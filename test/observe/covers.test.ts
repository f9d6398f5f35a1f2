import { expect, it } from "vitest";
import { covers } from "../../src/observe/covers.ts";

it.each([
  ["a.x /*", "a.x", undefined, "exact"],
  ["a.x /b", "a.x", undefined, "exact"],
  ["b.x /*", "a.x", undefined, "no"],
  ["*.x /*", "a.x", undefined, "wider"],
  ["*.x /*", "a.b.x", undefined, "wider"],
  ["*.x /*", "x", undefined, "no"],
  ["*.x /*", ".x", undefined, "no"],
  ["*.x /*", "ax", undefined, "no"],
  ["*.x /*", "*.x", undefined, "exact"],
  ["a.x /*", "a.x", "/*", "exact"],
  ["a.x /*", "a.x", "/cart", "wider"],
  ["a.x /api/*", "a.x", "/api/v1", "wider"],
  ["a.x /api/*", "a.x", "/api", "no"],
  ["a.x /api", "a.x", "/api/v1", "no"],
  ["*.x /b", "a.x", "/b", "wider"],
  [" /*", "a.x", "/b", "wider"],
  [" /*", "a.x", undefined, "wider"],
] as const)("%s, asked for %s%s: %s", (pair, host, uri, cover) => {
  expect(covers(pair, { kind: "pair", host, uri })).toBe(cover);
});
