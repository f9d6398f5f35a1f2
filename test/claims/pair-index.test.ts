import fc from "fast-check";
import { expect, test } from "vitest";
import { PairIndex } from "../../src/claims/pair-index.ts";

const members = [{ name: "a" }, { name: "b" }, { name: "c" }];
const anyChange = fc.tuple(fc.constantFrom("h1 /", "h2 /"), fc.constantFrom(...members), fc.boolean());

test("it holds who was added and not taken out, and nothing of a pair that everybody left", () => {
  fc.assert(
    fc.property(fc.array(anyChange), (changes) => {
      const index = new PairIndex<{ readonly name: string }>();
      const model = new Map<string, Set<{ readonly name: string }>>();
      for (const [pair, member, add] of changes) {
        const on = model.get(pair) ?? new Set();
        model.set(pair, on);
        if (add) index.add(pair, member);
        else index.delete(pair, member);
        if (add) on.add(member);
        else on.delete(member);
      }
      for (const [pair, on] of model) {
        expect(index.count(pair)).toBe(on.size);
        expect(new Set(index.at(pair))).toEqual(on);
        for (const member of members) expect(index.has(pair, member)).toBe(on.has(member));
      }
      const taken = [...model].filter(([, on]) => on.size > 0).map(([pair]) => pair);
      expect([...index.pairs()].toSorted()).toEqual(taken.toSorted());
    }),
  );
});
