import fc from "fast-check";
import { expect, test } from "vitest";
import { scanJson } from "../../src/declare/scan-json.ts";

/** Depth of a value, counting arrays and objects. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const key = fc.string({
  unit: fc.constantFrom('"', "\\", "{", "[", ",", ":", "a", "é", "\u0000"),
  maxLength: 3,
});
const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    key,
    fc.integer(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));

test("what JSON.stringify prints has no duplicate key, and its nesting is measured exactly", () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      const depth = depthOf(value);
      expect(scanJson(text, depth)).toBeUndefined();
      if (depth > 0) expect(scanJson(text, depth - 1)).toEqual({ fault: "nesting" });
    }),
    { numRuns: 1000 },
  );
});

test("a key that stands twice in one object is found, wherever the object is and however it is escaped", () => {
  const members = fc.uniqueArray(key, { minLength: 1, maxLength: 4 });
  const escaped = (text: string) =>
    `"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
  fc.assert(
    fc.property(members, anyJson, fc.nat(), fc.boolean(), (keys, value, pick, escape) => {
      const twice = keys[pick % keys.length] ?? "";
      const printed = keys.map((one) => `${JSON.stringify(one)}: ${JSON.stringify(value)}`);
      const object = `{${printed.join()}, ${escape ? escaped(twice) : JSON.stringify(twice)}: 1}`;
      expect(scanJson(`[{"k": [1, ${object}]}]`, 1000)).toEqual({ fault: "duplicate", key: twice });
    }),
  );
});

test("the same key in two objects, or as a value, is no duplicate", () => {
  expect(scanJson('[{"a": "a", "b": {"a": "a"}}, {"a": ["a", "a"]}, "a"]', 9)).toBeUndefined();
});
