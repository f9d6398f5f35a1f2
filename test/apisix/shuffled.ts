import fc from "fast-check";
import type { Json, JsonObject } from "../../src/apisix/types.ts";

/** Any JSON value, with keys that JavaScript treats in its own way. */
export const jsonValues: fc.Arbitrary<Json> = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e21, 1e-7, "", "é", "\uE000", "😀"),
    fc.string(),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(keys(), tie("any"), { maxKeys: 5 }),
  ),
})).any;

export function keys(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom("10", "9", "1a", "__proto__", "constructor", "\uE000", "😀", "nodes", "labels", "id"),
    fc.string({ maxLength: 4 }),
  );
}

/** The same JSON with the keys of every object in another order, as Lua's cjson gives them. */
export function shuffled(value: Json, seed: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => shuffled(item, seed + 1));
  const entries = Object.entries(value as JsonObject).map(([key, item], index): [string, Json] => [
    key,
    shuffled(item, seed * 31 + index),
  ]);
  return Object.fromEntries(shuffledList(entries, seed));
}

export function shuffledList<Item>(items: readonly Item[], seed: number): Item[] {
  const list = [...items];
  let state = (seed * 2654435761) >>> 0;
  for (let i = list.length - 1; i > 0; i--) {
    state = (state * 1664525 + 1013904223) >>> 0;
    const j = state % (i + 1);
    [list[i], list[j]] = [list[j] as Item, list[i] as Item];
  }
  return list;
}
