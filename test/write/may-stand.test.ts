import { expect, it } from "vitest";
import { labelsOf } from "../../src/apisix/identity.ts";
import { shardSeeds } from "../../src/shard-seeds.ts";
import { ObjectStore } from "../../src/store/object-store.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/** Invariant 2: what may come to stand counts for the shard, which would give a fleet group other settings under it. */

/** The route of a new group was written, and given up; it lands after so many milliseconds, or never. */
async function givenUp(landsAfter: number | "never"): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  const fault =
    landsAfter === "never"
      ? ({ kind: "reset", when: "before" } as const)
      : ({ kind: "delay", ms: landsAfter, when: "before" } as const);
  gateway.admin.faults.add({ fault, methods: ["PUT"], resource: "routes", times: 1 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(20);
  gateway.answers.set("route a", "stale");
  await gateway.pass(2000);
  // As its shard asks for it, or the breaker before it closes.
  const { identity } = gateway.writer.records.get(gateway.id("a"))!;
  await Promise.all([gateway.writer.words.need(gateway.id("a"), identity), gateway.pass(20)]);
  expect(gateway.hosts("a")).toBeUndefined();
  return gateway;
}

it("a route that was given up counts as standing though a look finds none; when it has landed, it is read back", async () => {
  const gateway = await givenUp(5000);
  expect(gateway.told("route", "a")).toBe("");
  await gateway.pass(30_000);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
  expect(gateway.told("route", "a")).toMatch(/^[0-9a-f]+$/);
});

it("a route that was given up and never lands counts as standing until it is read back", async () => {
  const gateway = await givenUp("never");
  expect(gateway.told("route", "a")).toBe("");
  await gateway.pass(30_000);
  expect(gateway.told("route", "a")).toBeUndefined();
});

it("a shard that takes over is told of it too", async () => {
  const gateway = await givenUp(5000);
  const shards = { count: 1, by: "service" } as const;
  const seeds = shardSeeds({ shards }, 1, new ObjectStore(), () => gateway.writer.records.all());
  expect([...seeds.knownOf(0)]).toMatchObject([{ id: gateway.id("a"), route: { digest: "" } }]);
});

it("a route that a look at all sees under an id that is uncertain may stand from then on", async () => {
  const gateway = new WriterUnderTest();
  const fault = { kind: "reset", when: "after" } as const;
  gateway.admin.faults.add({ fault, methods: ["PUT"], resource: "upstreams", times: 1 });
  gateway.answers.set("route a", "stale");
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(2000);
  const { identity } = gateway.writer.records.get(gateway.id("a"))!;
  const labels = labelsOf("default", identity);
  const route = { hosts: ["x.example.com"], uris: ["/*"], upstream_id: gateway.id("a"), labels };
  gateway.edit("PUT", "routes", "a", route);
  await gateway.look();
  expect(gateway.told("route", "a")).toBe("");
});

/** Somebody deletes the upstream of a fleet group, and what is written over it is given up. */
async function fleetGivenUp(landsAfter: number | "never"): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  gateway.members.set("a", [
    ["east", "uid-east"],
    ["west", "uid-west"],
  ]);
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.edit("DELETE", "upstreams", "a");
  const fault =
    landsAfter === "never"
      ? ({ kind: "reset", when: "before" } as const)
      : ({ kind: "delay", ms: landsAfter, when: "before" } as const);
  gateway.admin.faults.add({ fault, methods: ["PUT"], resource: "upstreams", times: 1 });
  gateway.move("a", ["a.example.com"]);
  await gateway.pass(20);
  gateway.answers.set("upstream a", "stale");
  await gateway.pass(2000);
  const { identity } = gateway.writer.records.get(gateway.id("a"))!;
  await Promise.all([gateway.writer.words.need(gateway.id("a"), identity), gateway.pass(20)]);
  expect(gateway.told("upstream", "a")).toBeUndefined();
  return gateway;
}

it("clusters that an upstream names which was given up have a part in its fleet group, though a look finds none", async () => {
  const gateway = await fleetGivenUp(5000);
  expect(gateway.toldMembers("a")).toEqual(["east", "west"]);
  expect([...gateway.writer.records.ofCluster("west")]).toHaveLength(1);
  await gateway.pass(30_000);
  expect(gateway.told("upstream", "a")).toMatch(/^[0-9a-f]+$/);
  expect(gateway.toldMembers("a")).toEqual(["east", "west"]);
});

it("they have none any more when it is read back, and has not come", async () => {
  const gateway = await fleetGivenUp("never");
  expect(gateway.toldMembers("a")).toEqual(["east", "west"]);
  await gateway.pass(30_000);
  expect(gateway.toldMembers("a")).toEqual([]);
  expect([...gateway.writer.records.ofCluster("west")]).toEqual([]);
});

it("they have a part still when the next write, which names others, has been answered: it may come after that", async () => {
  const gateway = await fleetGivenUp(5000);
  gateway.members.set("a", [["east", "uid-east"]]);
  gateway.answers.delete("upstream a");
  gateway.move("a", ["a.example.com"]);
  await gateway.pass(100);
  expect(gateway.toldMembers("a")).toEqual(["east", "west"]);
});
