import { expect, it } from "vitest";
import { memberLabelPrefix } from "../../src/apisix/labels.ts";
import type { JsonObject } from "../../src/apisix/types.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

it("remembers nothing of a group that ended while its cluster was out of sight", async () => {
  const gateway = new WriterUnderTest();
  gateway.hidden.add("a");
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.say("a", { type: "nothing" });
  await gateway.pass();
  expect([...gateway.writer.records.all()]).toEqual([]);
  expect(gateway.writer.claims.size).toBe(0);
});

it("does nothing more for a group that is forgotten while it waits for another try", async () => {
  const gateway = new WriterUnderTest();
  gateway.admin.faults.setEtcd("down");
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(20);
  gateway.gone("a");
  gateway.admin.faults.setEtcd("up");
  await gateway.pass(60_000);
  expect(gateway.admin.store.list("upstreams")).toEqual([]);
  expect(gateway.writer.claims.size).toBe(0);
  expect([...gateway.writer.records.all()]).toEqual([]);
});

it("remembers nothing of a group that nothing declares once a lost answer is known", async () => {
  const gateway = new WriterUnderTest();
  gateway.admin.faults.add({
    fault: { kind: "reset", when: "after" },
    methods: ["PUT"],
    resource: "routes",
    times: 1,
  });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(5);
  gateway.gone("a");
  await gateway.pass(5000);
  gateway.say("a", { type: "nothing" });
  await gateway.pass(60_000);
  expect([...gateway.writer.records.all()]).toEqual([]);
  expect(gateway.writer.claims.size).toBe(0);
});

it("remembers nothing of a group of which nothing is declared while its last request is under way", async () => {
  const gateway = new WriterUnderTest();
  for (const name of ["b", "a"]) {
    gateway.live(name, ["a.example.com"]);
    await gateway.pass();
  }
  gateway.edit("DELETE", "routes", "b");
  const slow = { kind: "delay", ms: 50, when: "after" } as const;
  gateway.admin.faults.add({ fault: slow, methods: ["DELETE"], times: 1 });
  await gateway.look();
  await gateway.pass(30);
  gateway.say("b", { type: "nothing" });
  await gateway.pass();
  expect([...gateway.writer.records.all()].map(({ id }) => id)).toEqual([gateway.id("a")]);
  expect(gateway.writer.claims.size).toBe(1);
});

it("does not remember a forgotten group for what is said of its parts afterwards", async () => {
  const gateway = new WriterUnderTest();
  const part = { id: gateway.id("a"), cluster: "east" };
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.gone("a");
  await gateway.pass();
  gateway.writer.words.takeParts([{ ...part, isGone: false }]);
  gateway.writer.words.takeParts([{ ...part, isGone: true }]);
  expect([...gateway.writer.records.all()]).toEqual([]);
});

/** A fleet group that stands, of which no shard has spoken since its own was lost. */
async function unheard(concurrency: number): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest({ concurrency });
  gateway.members.set("a", [["east", "uid-east"]]);
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  await gateway.look();
  gateway.writer.words.unhear(() => true);
  return gateway;
}

/** A human deletes its route and puts these labels on its upstream. */
function takeAway(gateway: WriterUnderTest, labels: JsonObject): void {
  const stored = gateway.admin.store.get("upstreams", gateway.id("a"))!.value as JsonObject;
  const { create_time: _, update_time: __, ...body } = stored;
  gateway.edit("DELETE", "routes", "a");
  gateway.edit("PUT", "upstreams", "a", { ...body, labels });
}

it("invariant 10: what a shard's question finds that waited for its turn is written down of no forgotten group", async () => {
  const gateway = await unheard(1);
  const { records, words } = gateway.writer;
  const { id, identity } = records.get(gateway.id("a"))!;
  const slow = { kind: "delay", ms: 500, when: "after" } as const;
  gateway.admin.faults.add({ fault: slow, methods: ["PUT"], times: 1 });
  gateway.live("b", ["b.example.com"]);
  await gateway.pass(10);
  const asked = words.need(id, identity);
  takeAway(gateway, { [`${memberLabelPrefix}east`]: "uid-east" });
  await gateway.look();
  await Promise.all([asked, gateway.pass(1000)]);
  expect([...records.all()].map((record) => record.id)).toEqual([gateway.id("b")]);
  expect([...records.ofCluster("east")]).toEqual([records.get(gateway.id("b"))]);
});

it("a shard's question finds what stands at last, though its group was forgotten when it could not be read", async () => {
  const gateway = await unheard(8);
  const { records, words } = gateway.writer;
  const { id, identity } = records.get(gateway.id("a"))!;
  const upstream = gateway.admin.store.get("upstreams", id)!.value as JsonObject;
  for (const collection of ["routes", "upstreams"]) gateway.edit("DELETE", collection, "a");
  await gateway.look();
  expect(records.get(id)).toBeUndefined();
  const fault = { kind: "reset", when: "before" } as const;
  gateway.admin.faults.add({ fault, methods: ["GET"], resource: "upstreams", times: 1 });
  await Promise.all([words.need(id, identity), gateway.pass(100)]);
  const { create_time: _, update_time: __, ...body } = upstream;
  gateway.edit("PUT", "upstreams", "a", body);
  await gateway.pass(2000);
  expect(records.get(id)?.upstream).toBeDefined();
  expect([...records.ofCluster("east")]).toEqual([records.get(id)]);
});
