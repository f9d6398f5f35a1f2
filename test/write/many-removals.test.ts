import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

/** More than one turn of the event loop handles. */
const names = Array.from({ length: 600 }, (_, index) => `g${index}`);
const last = "g599";

/** They stand, and a list has come without them. */
async function allGone(maxDeletes: number): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest({ concurrency: 64, maxDeletes });
  for (const name of names) gateway.live(name, [`${name}.example.com`]);
  await gateway.pass(1000);
  gateway.writer.removals.open("east", "pods");
  for (const name of names) gateway.gone(name);
  gateway.writer.removals.close("east", "pods", () => false);
  return gateway;
}

it("what a list takes away of many groups goes, over several turns", async () => {
  const gateway = await allGone(1000);
  expect(gateway.writer.portions.isRunning).toBe(true);
  await gateway.pass(2000);
  expect(names.filter((name) => gateway.hosts(name) !== undefined)).toEqual([]);
  expect(gateway.writer.records.get(gateway.id(last))).toBeUndefined();
});

it("what is approved of many groups goes over several turns, but not what came back meanwhile and went again", async () => {
  const gateway = await allGone(0);
  const { guard } = gateway.writer;
  expect(await gateway.pass(1000)).toEqual([]);
  expect(guard.status().held).toBe(names.length);
  expect(gateway.writer.approve(guard.status().batch ?? "")).toBe(names.length);
  gateway.live(last, [`${last}.example.com`]);
  gateway.gone(last);
  await gateway.pass(2000);
  expect(names.filter((name) => gateway.hosts(name) !== undefined)).toEqual([last]);
  expect(guard.status().held).toBe(1);
});

it("a single group that goes does not wait for work on many", async () => {
  const gateway = await allGone(1000);
  await gateway.pass(2000);
  gateway.live("one", ["one.example.com"]);
  await gateway.pass();
  gateway.writer.portions.run(names, () => {});
  gateway.gone("one", true);
  expect(gateway.writer.records.get(gateway.id("one"))?.ending).toBe(true);
});
