import { expect, test } from "vitest";
import { IdIndex } from "../../src/diff/id-index.ts";

test("a key has the ids that were added and not removed, each once, in their order", () => {
  const index = new IdIndex();
  for (const id of ["a", "a", "b", "c"]) index.add("key", id);
  index.remove("key", "b");
  index.remove("key", "unknown");
  expect([...index.at("key")]).toEqual(["a", "c"]);
  index.remove("key", "a");
  index.remove("key", "c");
  expect([...index.at("key")]).toEqual([]);
});

test("a key with one id keeps it when another id is removed", () => {
  const index = new IdIndex();
  index.add("key", "a");
  index.remove("key", "b");
  expect([...index.at("key")]).toEqual(["a"]);
  index.remove("key", "a");
  index.remove("other", "a");
  expect([...index.at("key")]).toEqual([]);
});
