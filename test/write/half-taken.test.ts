import { expect, it } from "vitest";
import { managedByLabel, managedByValue, memberLabelPrefix } from "../../src/apisix/labels.ts";
import type { JsonObject } from "../../src/apisix/types.ts";
import { refusal } from "../../src/sim/admin/admin-reply.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/** A6: an edited label takes an object out of our hands; what stands beside it under the same id is ours still. */

async function standing(deleteGrace = 0): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest({ deleteGrace });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  return gateway;
}

function takeAway(gateway: WriterUnderTest, collection: "routes" | "upstreams"): void {
  const { create_time: _, update_time: __, ...body } = stored(gateway, collection) ?? {};
  gateway.edit("PUT", collection, "a", { ...body, labels: { owner: "a-human" } });
}

const stored = (gateway: WriterUnderTest, collection: string): JsonObject | undefined =>
  gateway.admin.store.get(collection, gateway.id("a"))?.value as JsonObject | undefined;

it("A6 of a route that was taken away, the upstream goes on being followed", async () => {
  const gateway = await standing();
  takeAway(gateway, "routes");
  await gateway.look();
  expect(await gateway.pass()).toEqual([]);
  gateway.move("a", ["a.example.com"]);
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
  gateway.live("a", ["b.example.com"]);
  expect(await gateway.pass(2000)).toEqual([]);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
});

it("A6 a route that its own deletion finds taken away keeps its pairs from those who wait for them", async () => {
  const gateway = await standing();
  gateway.live("b", ["a.example.com"], { created: 2 });
  await gateway.pass();
  takeAway(gateway, "routes");
  gateway.gone("a");
  expect(await gateway.pass(60_000)).toEqual(["PUT upstreams/a: 200"]);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
  gateway.edit("DELETE", "routes", "a");
  await gateway.look();
  await gateway.pass();
  expect(gateway.hosts("b")).toEqual(["a.example.com"]);
});

it("A6 an upstream that its own deletion finds taken away is not written when its group is declared anew", async () => {
  const gateway = await standing(1000);
  await gateway.look();
  await gateway.pass(40_000);
  gateway.gone("a", true);
  await gateway.pass();
  takeAway(gateway, "upstreams");
  expect(await gateway.pass(5000)).toEqual(["DELETE routes/a: 200"]);
  expect([...gateway.writer.records.all()]).toEqual([]);
  gateway.live("a", ["a.example.com"]);
  // A look at routes alone does not see who has which upstream.
  const looked = gateway.audit.refreshForeign();
  await gateway.pass();
  expect(await looked).toBe(true);
  expect(await gateway.pass(5000)).toEqual([]);
  gateway.edit("DELETE", "upstreams", "a");
  await gateway.look();
  await gateway.pass();
  expect(gateway.writes.slice(-2)).toEqual(["PUT upstreams/a: 201", "PUT routes/a: 201"]);
});

it("A6 of a route that was taken away, the upstream is emptied with its source and goes after that route", async () => {
  const gateway = await standing(1000);
  takeAway(gateway, "routes");
  await gateway.look();
  gateway.gone("a", true);
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
  expect(stored(gateway, "upstreams")).toMatchObject({ nodes: [] });
  expect(await gateway.pass(60_000)).toEqual([]);
  gateway.edit("DELETE", "routes", "a");
  await gateway.look();
  await gateway.pass();
  expect(gateway.writes.at(-1)).toBe("DELETE upstreams/a: 200");
  expect([...gateway.writer.records.all()]).toEqual([]);
});

it("A6 beside a route that was taken away, an upstream that could not be emptied in its grace is emptied after it", async () => {
  const gateway = await standing(1000);
  const reply = refusal(400, "additional properties forbidden, found hosts");
  const subject = { methods: ["PUT"], resource: "upstreams", id: gateway.id("a") };
  gateway.admin.faults.add({ fault: { kind: "reply", reply }, ...subject, times: 1 });
  gateway.gone("a", true);
  await gateway.pass();
  expect(gateway.writer.records.get(gateway.id("a"))?.rejected?.resource).toBe("upstream");
  takeAway(gateway, "routes");
  await gateway.look();
  expect(await gateway.pass(65_000)).toEqual(["PUT upstreams/a: 200"]);
  expect(stored(gateway, "upstreams")).toMatchObject({ nodes: [] });
});

it("A6 beside a route that was taken away, what goes without grace and what somebody fills again has no nodes", async () => {
  const gateway = await standing();
  const { create_time: _, update_time: __, ...filled } = stored(gateway, "upstreams") ?? {};
  takeAway(gateway, "routes");
  await gateway.look();
  gateway.gone("a");
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
  gateway.edit("PUT", "upstreams", "a", filled);
  await gateway.look();
  await gateway.pass();
  expect(stored(gateway, "upstreams")).toMatchObject({ nodes: [] });
  await gateway.look();
  expect(await gateway.pass()).toEqual([]);
});

it("A6 beside an upstream that was taken away, the route is neither written nor widened, and goes with its source", async () => {
  const gateway = await standing(1000);
  takeAway(gateway, "upstreams");
  await gateway.look();
  gateway.move("a", ["a.example.com"]);
  gateway.live("a", ["a.example.com", "b.example.com"]);
  expect(await gateway.pass(2000)).toEqual([]);
  gateway.gone("a", true);
  expect(await gateway.pass(500)).toEqual([]);
  expect(await gateway.pass(2000)).toEqual(["DELETE routes/a: 200"]);
  expect(stored(gateway, "upstreams")).toMatchObject({ labels: { owner: "a-human" } });
  expect([...gateway.writer.records.all()]).toEqual([]);
});

it("A6 beside an upstream that was taken away, the route gives up what it wants no more", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com", "b.example.com"]);
  await gateway.pass();
  takeAway(gateway, "upstreams");
  await gateway.look();
  gateway.live("a", ["a.example.com"]);
  gateway.live("c", ["b.example.com"], { created: 2 });
  expect(await gateway.pass()).toEqual(["PUT routes/a: 200", "PUT upstreams/c: 201", "PUT routes/c: 201"]);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
});

it("A6 an upstream found taken away while its route leaves: the route goes all the same, without waiting for an audit", async () => {
  const gateway = await standing(1000);
  takeAway(gateway, "upstreams");
  gateway.gone("a", true);
  expect(await gateway.pass(500)).toEqual([]);
  expect(await gateway.pass(2000)).toEqual(["DELETE routes/a: 200"]);
  expect(stored(gateway, "upstreams")).toMatchObject({ labels: { owner: "a-human" } });
});

it("A6 what is given back is ours again", async () => {
  for (const collection of ["routes", "upstreams"] as const) {
    const gateway = await standing();
    const { create_time: _, update_time: __, ...body } = stored(gateway, collection) ?? {};
    takeAway(gateway, collection);
    await gateway.look();
    gateway.move("a", ["a.example.com"]);
    await gateway.pass(2000);
    gateway.edit("PUT", collection, "a", body);
    await gateway.look();
    gateway.live("a", ["a.example.com", "b.example.com"]);
    await gateway.pass(2000);
    expect(gateway.hosts("a")).toEqual(["a.example.com", "b.example.com"]);
  }
});

it("a route of ours that somebody has made match more pairs than a declaration may is a stranger's, and is not unfolded", async () => {
  const gateway = await standing();
  const many = (prefix: string): string[] => Array.from({ length: 3000 }, (_, at) => `${prefix}${at}`);
  const { create_time: _, update_time: __, hosts: ___, ...body } = stored(gateway, "routes") ?? {};
  gateway.edit("PUT", "routes", "a", { ...body, hosts: many("h"), uris: many("/") });
  await gateway.look();
  expect(gateway.audit.last?.forged).toMatchObject([{ resource: "route", id: gateway.id("a") }]);
  gateway.live("b", ["h2999"]);
  gateway.gone("a");
  expect(await gateway.pass(2000)).toContain("PUT routes/b: 201");
  expect(gateway.hosts("a")).toHaveLength(3000);
});

it.each(["routes", "upstreams"] as const)(
  "forged labels on our own id, of another identity: %s are a stranger's, whether a list or a look finds them",
  async (collection) => {
    for (const isListed of [true, false]) {
      const gateway = await standing(1000);
      const { create_time: _, update_time: __, ...body } = stored(gateway, collection) ?? {};
      const labels = { ...(body["labels"] as JsonObject), "translator/namespace": "bank" };
      gateway.edit("PUT", collection, "a", { ...body, labels });
      if (isListed) await gateway.look();
      gateway.gone("a", true);
      // Longer than what was seen before may be relied on for a DELETE.
      await gateway.pass(35_000);
      expect(stored(gateway, collection)).toMatchObject({ labels });
      expect(gateway.writes.filter((write) => write.startsWith(`DELETE ${collection}`))).toEqual([]);
    }
  },
);

/** A fleet group of two clusters; somebody takes one ownership label, and no other, off its upstream. */
async function unmanagedFleet(): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  gateway.members.set("a", [
    ["east", "uid-east"],
    ["west", "uid-west"],
  ]);
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  unmanage(gateway);
  return gateway;
}

/** Off the upstream, and with it the labels of these clusters. */
function unmanage(gateway: WriterUnderTest, ...clusters: readonly string[]): void {
  const { create_time: _, update_time: __, labels, ...body } = stored(gateway, "upstreams") ?? {};
  const taken = [managedByLabel, ...clusters.map((cluster) => `${memberLabelPrefix}${cluster}`)];
  const left = Object.entries(labels as JsonObject).filter(([label]) => !taken.includes(label));
  gateway.edit("PUT", "upstreams", "a", { ...body, labels: Object.fromEntries(left) });
}

it("invariant 2: the clusters that a fleet group's upstream names have a part in it though the upstream is not ours any more, as all of APISIX says", async () => {
  const gateway = await unmanagedFleet();
  await gateway.look();
  expect(gateway.told("upstream", "a")).toBeUndefined();
  expect(gateway.toldMembers("a")).toEqual(["east", "west"]);
  expect([...gateway.writer.records.ofCluster("west")]).toHaveLength(1);
  unmanage(gateway, "west");
  await gateway.look();
  expect(gateway.toldMembers("a")).toEqual(["east"]);
});

it("invariant 2: likewise as a look at its id says; once it is ours again, by what it names then", async () => {
  const gateway = await unmanagedFleet();
  const record = gateway.writer.records.get(gateway.id("a"))!;
  const need = async (): Promise<unknown> =>
    Promise.all([gateway.writer.words.need(gateway.id("a"), record.identity), gateway.pass(20)]);
  await need();
  expect(gateway.told("upstream", "a")).toBeUndefined();
  expect(gateway.toldMembers("a")).toEqual(["east", "west"]);
  const { create_time: _, update_time: __, labels, ...body } = stored(gateway, "upstreams") ?? {};
  const { [`${memberLabelPrefix}west`]: ___, ...left } = labels as JsonObject;
  gateway.edit("PUT", "upstreams", "a", { ...body, labels: { ...left, [managedByLabel]: managedByValue } });
  await need();
  expect(gateway.told("upstream", "a")).toMatch(/^[0-9a-f]+$/);
  expect(gateway.toldMembers("a")).toEqual(["east"]);
});
