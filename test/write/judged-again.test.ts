import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

const hostsOf = (name: string): string[] => [`${name}.example.com`];

it.each([
  ["its object", true],
  ["its declaration", false],
])("what was let go and emptied goes with %s, though the rest of that list is held", async (_what, grace) => {
  const gateway = new WriterUnderTest({ maxDeletes: 2, deleteGrace: 1000 });
  const names = ["a", "b", "c"];
  for (const name of names) gateway.live(name, hostsOf(name));
  await gateway.pass();
  gateway.bare.add("a");
  gateway.moveFrozen("a", true);
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
  const { removals, guard } = gateway.writer;
  removals.open("east", "pods");
  for (const name of names) gateway.gone(name, grace);
  removals.close("east", "pods", () => false);
  expect(names.map((name) => guard.isHeld(gateway.id(name)))).toEqual([false, true, true]);
  expect(await gateway.pass(5000)).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
  expect(gateway.writer.approve(guard.status().batch ?? "")).toBe(2);
  await gateway.pass(5000);
  expect(names.map((name) => gateway.hosts(name))).toEqual([undefined, undefined, undefined]);
});
