import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";
import type { WriterSettings } from "./writer-under-test.ts";

/** Invariant 2 of a group of which a part is out of sight, and whose route would have to make way for an older foreign one. */

async function besideOlder(settings: WriterSettings = {}): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest(settings);
  stranger(gateway, "x.example.com");
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  await gateway.look();
  stranger(gateway, "a.example.com");
  return gateway;
}

function stranger(gateway: WriterUnderTest, host: string): void {
  const upstream = { type: "roundrobin", nodes: { "192.0.2.1:80": 1 } };
  gateway.edit("PUT", "routes", "older", { uri: "/*", host, upstream });
}

it("invariant 2: a route does not step back from an older foreign one while a part of its group is out of sight", async () => {
  const gateway = await besideOlder();
  gateway.partlyHidden.add("a");
  gateway.writer.regate(gateway.writer.records.all());
  await gateway.look();
  expect(await gateway.pass(60_000)).toEqual([]);
  expect(gateway.writer.claims.outcome(gateway.id("a")).state).toBe("conflict");
  gateway.partlyHidden.clear();
  gateway.writer.regate(gateway.writer.records.all());
  expect(await gateway.pass()).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
});

it("invariant 2: a route that is to step back stays when a part of its group goes out of sight before that is sent", async () => {
  const gateway = await besideOlder({ concurrency: 1 });
  gateway.admin.faults.add({ fault: { kind: "delay", ms: 300, when: "before" }, methods: ["PUT"], times: 1 });
  gateway.live("b", ["b.example.com"]);
  await gateway.pass(1);
  await gateway.look();
  expect(await gateway.pass()).toEqual([]);
  gateway.partlyHidden.add("a");
  expect(await gateway.pass(60_000)).toEqual(["PUT upstreams/b: 201", "PUT routes/b: 201"]);
  gateway.partlyHidden.clear();
  gateway.writer.regate(gateway.writer.records.all());
  expect(await gateway.pass()).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
});
