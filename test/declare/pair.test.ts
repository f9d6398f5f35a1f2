import fc from "fast-check";
import { expect, test } from "vitest";
import { compareBytewise } from "../../src/declare/byte-order.ts";
import { findDuplicatePairs } from "../../src/declare/duplicate-pairs.ts";
import { pairHost, pairUri, pairsOf } from "../../src/declare/pair.ts";

test("pairs are all combinations, sorted and unique", () => {
  expect(pairsOf(["b.x", "a.x", "b.x"], ["/*", "/"])).toEqual(["a.x /", "a.x /*", "b.x /", "b.x /*"]);
  expect(pairsOf([], ["/"])).toEqual([]);
});

test("a pair gives back its host and its uri", () => {
  const [pair = ""] = pairsOf(["[::1]"], ["/a/*"]);
  expect([pairHost(pair), pairUri(pair)]).toEqual(["[::1]", "/a/*"]);
});

test("the order is that of the UTF-8 bytes", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "ä", "\uffee", "\u{1f600}", "\u{10ffff}", "\ue000"),
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compareBytewise(a, b))).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

test("the later of two entries with one pair loses, and is told to whom", () => {
  const found = findDuplicatePairs([
    { name: "a", pairs: ["h /"] },
    { name: "b", pairs: ["h /b"] },
    { name: "c", pairs: ["h /c", "h /"] },
  ]);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ index: 2, problem: { route: "c", field: "host", value: "h /" } });
  expect(found[0]?.problem.message).toContain('entry 1 ("a")');
});

test("an entry also loses to one that loses itself", () => {
  const pairs = [["1"], ["1", "2"], ["2"], ["3"]].map((wanted, index) => ({
    name: `e${index}`,
    pairs: wanted,
  }));
  expect(findDuplicatePairs(pairs).map(({ index }) => index)).toEqual([1, 2]);
});
