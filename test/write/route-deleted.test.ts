import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

it("keeps no upstream of an ending group whose route somebody has deleted", async () => {
  const gateway = new WriterUnderTest({ deleteGrace: 5000 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.gone("a", true);
  await gateway.pass(1000);
  gateway.edit("DELETE", "routes", "a");
  await gateway.look();
  await gateway.pass(20_000);
  expect(gateway.admin.store.list("upstreams")).toEqual([]);
  expect([...gateway.writer.records.all()]).toEqual([]);
});

it("keeps no upstream of a group in conflict whose route somebody has deleted", async () => {
  const gateway = new WriterUnderTest();
  for (const name of ["a", "c"]) gateway.live(name, [`${name}.example.com`]);
  await gateway.pass();
  gateway.live("a", ["c.example.com"], { created: 2 });
  await gateway.pass();
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
  gateway.edit("DELETE", "routes", "a");
  await gateway.look();
  await gateway.pass(5000);
  expect(gateway.admin.store.get("upstreams", gateway.id("a"))).toBeUndefined();
});

it("keeps the upstream of a group in conflict while a part of it is out of sight", async () => {
  const gateway = new WriterUnderTest();
  for (const name of ["b", "a"]) {
    gateway.live(name, ["a.example.com"]);
    await gateway.pass();
  }
  gateway.partlyHidden.add("b");
  gateway.edit("DELETE", "routes", "b");
  await gateway.look();
  await gateway.pass();
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
  expect(gateway.admin.store.get("upstreams", gateway.id("b"))).toBeDefined();
  gateway.partlyHidden.clear();
  gateway.writer.regate(gateway.writer.records.all());
  expect(await gateway.pass()).toEqual(["DELETE upstreams/b: 200"]);
});
