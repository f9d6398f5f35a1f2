import fc from "fast-check";
import { expect, it } from "vitest";
import { pairsOf } from "../../src/declare/pair.ts";
import { covers, pairsThatCover } from "../../src/observe/covers.ts";

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

it("of a route's pairs it finds those that cover, without looking at each, and no more than asked for", () => {
  const hosts = fc.uniqueArray(fc.constantFrom("", "a.x", "*.x", "b.y"));
  const uris = fc.uniqueArray(fc.constantFrom("/*", "/a", "/a/*", "/b"));
  const uri = fc.constantFrom(undefined, "/a", "/a/1", "/*");
  fc.assert(
    fc.property(
      hosts,
      uris,
      fc.constantFrom("a.x", "*.x", "b.y"),
      uri,
      fc.nat(20),
      (all, paths, host, path, most) => {
        const target = { kind: "pair", host, uri: path } as const;
        for (const cover of ["exact", "wider"] as const) {
          const expected = pairsOf(all, paths).filter((pair) => covers(pair, target) === cover);
          const found = pairsThatCover({ hosts: all, uris: paths }, target, cover, most);
          expect(expected).toEqual(expect.arrayContaining([...found]));
          expect(found).toHaveLength(Math.min(most, expected.length));
        }
      },
    ),
  );
});
