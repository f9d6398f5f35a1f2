import { expect, it } from "vitest";
import type { JsonObject } from "../../src/apisix/types.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/**
 * Invariant 1: an answer to a look that cannot be used does not say whose the object is. A stranger's may stand there by
 * now, whatever was read before.
 */

type Collection = "routes" | "upstreams";

const stored = (gateway: WriterUnderTest, collection: Collection): JsonObject =>
  (gateway.admin.store.get(collection, gateway.id("a"))?.value ?? {}) as JsonObject;

async function standing(hosts: readonly string[], deleteGrace = 1000): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest({ deleteGrace });
  gateway.live("a", hosts);
  await gateway.pass();
  await gateway.look();
  return gateway;
}

/** A stranger has it, and the next look at it has an answer of wrong types. */
function takeUnread(gateway: WriterUnderTest, collection: Collection): void {
  const { create_time: _, update_time: __, ...body } = stored(gateway, collection);
  gateway.edit("PUT", collection, "a", { ...body, labels: { owner: "a-human" } });
  const fault = { kind: "wrong-types", what: "labels-array" } as const;
  gateway.admin.faults.add({ fault, methods: ["GET"], resource: collection, times: 1 });
}

it("an upstream whose last look could not be used is looked at anew before it is deleted, however fresh the look before", async () => {
  const gateway = await standing(["a.example.com"], 100);
  takeUnread(gateway, "upstreams");
  gateway.gone("a", true);
  expect(await gateway.pass(2000)).toEqual(["DELETE routes/a: 200"]);
  expect(stored(gateway, "upstreams")).toMatchObject({ labels: { owner: "a-human" } });
});

it("an upstream whose last look could not be used is looked at anew before it is written again", async () => {
  const gateway = await standing(["a.example.com"]);
  takeUnread(gateway, "upstreams");
  gateway.gone("a", true);
  await gateway.pass(10);
  gateway.move("a", ["a.example.com"]);
  expect(await gateway.pass(2000)).toEqual([]);
  expect(stored(gateway, "upstreams")).toMatchObject({ labels: { owner: "a-human" } });
});

it("a route whose last look could not be used is looked at anew before it is written again", async () => {
  const gateway = await standing(["a.example.com", "b.example.com"]);
  gateway.live("c", ["c.example.com"], { created: 2 });
  await gateway.pass();
  takeUnread(gateway, "routes");
  // Each waits for what the other has: one of them is narrowed first, which looks at it.
  gateway.live("a", ["a.example.com", "c.example.com"], { upstream: false });
  gateway.live("c", ["c.example.com", "b.example.com"], { created: 2, upstream: false });
  await gateway.pass(10);
  gateway.live("a", ["a.example.com", "d.example.com"], { upstream: false });
  expect(await gateway.pass(2000)).toEqual([]);
  expect(stored(gateway, "routes")).toMatchObject({ labels: { owner: "a-human" } });
});

it("what turns out to be ours still is written, and only where it differs", async () => {
  const gateway = await standing(["a.example.com"]);
  const fault = { kind: "wrong-types", what: "labels-array" } as const;
  gateway.admin.faults.add({ fault, methods: ["GET"], resource: "upstreams", times: 1 });
  gateway.gone("a", true);
  await gateway.pass(10);
  gateway.live("a", ["a.example.com"]);
  expect(await gateway.pass(2000)).toEqual([]);
  gateway.move("a", ["a.example.com"]);
  expect(await gateway.pass(2000)).toEqual(["PUT upstreams/a: 200"]);
});
