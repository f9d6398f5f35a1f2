import { expect, test } from "vitest";
import type { StoreKey } from "../src/store/object-store.ts";
import { Vanishing } from "../src/vanishing.ts";
import { VirtualClock } from "./sim/admin/virtual-clock.ts";

const key = (cluster: string, name: string): StoreKey => ({
  ...{ cluster, kind: "endpointslices", namespace: "shop", name },
});

test.each([
  [0, 50],
  [20, 50],
  [300, 300],
])("quiet %i ms: what has vanished lapses after %i ms", async (quiet, grace) => {
  const clock = new VirtualClock();
  const lapsed: string[] = [];
  const vanishing = new Vanishing(clock, quiet, ({ name }) => lapsed.push(name));
  vanishing.note(key("east", "a"));
  await clock.advance(grace - 1);
  expect(lapsed).toEqual([]);
  await clock.advance(1);
  expect(lapsed).toEqual(["a"]);
});

test("the end of a list waits for what has vanished in its cluster until then, and for nothing else", async () => {
  const clock = new VirtualClock();
  const said: string[] = [];
  const vanishing = new Vanishing(clock, 0, ({ name }) => said.push(name));
  vanishing.whenOver("east", () => said.push("at once"));
  vanishing.note(key("east", "a"));
  vanishing.whenOver("west", () => said.push("west"));
  vanishing.whenOver("east", () => said.push("east"));
  vanishing.note(key("east", "b"));
  expect(said).toEqual(["at once", "west"]);
  await clock.advance(50);
  expect(said).toEqual(["at once", "west", "a", "east", "b"]);
});

test("what has lapsed is remembered no more: nothing waits for it", async () => {
  const clock = new VirtualClock();
  const said: string[] = [];
  const vanishing = new Vanishing(clock, 0, ({ name }) => said.push(name));
  vanishing.note(key("east", "a"));
  await clock.advance(50);
  vanishing.whenOver("east", () => said.push("at once"));
  expect(said).toEqual(["a", "at once"]);
});

test("nothing lapses after its stop", async () => {
  const clock = new VirtualClock();
  const said: string[] = [];
  const vanishing = new Vanishing(clock, 0, ({ name }) => said.push(name));
  vanishing.note(key("east", "a"));
  vanishing.stop();
  await clock.advance(1000);
  expect(said).toEqual([]);
});
