import { expect, it } from "vitest";
import { refusal } from "../../src/sim/admin/admin-reply.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/** What APISIX refuses, while others want or hold its pairs: a new leader has to find the same. */

/** Route bodies of these groups are refused, as often as they are sent. */
function refuse(gateway: WriterUnderTest, ...names: readonly string[]): void {
  const reply = refusal(400, "failed to check the configuration of plugin limit-count err: …");
  for (const name of names)
    gateway.admin.faults.add({
      ...{ fault: { kind: "reply", reply }, methods: ["PUT"], resource: "routes" },
      ...{ id: gateway.id(name), times: 1000 },
    });
}

function upstreams(gateway: WriterUnderTest): readonly string[] {
  return ["a", "b"].filter((name) => gateway.admin.store.get("upstreams", gateway.id(name)) !== undefined);
}

function isRefused(gateway: WriterUnderTest, name: string): boolean {
  return gateway.writer.records.get(gateway.id(name))?.rejected !== undefined;
}

/** `a` was refused, and its upstream stands alone. */
async function refused(): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  refuse(gateway, "a");
  gateway.live("a", ["a.example.com"]);
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 201"]);
  expect(isRefused(gateway, "a")).toBe(true);
  return gateway;
}

it("the upstream of a route that was refused goes when another's comes to stand on its pair", async () => {
  const gateway = await refused();
  gateway.live("b", ["a.example.com"], { created: 2 });
  const written = ["PUT upstreams/b: 201", "PUT routes/b: 201", "DELETE upstreams/a: 200"];
  expect(await gateway.pass()).toEqual(written);
  expect(gateway.writer.claims.outcome(gateway.id("a")).state).toBe("conflict");
});

it("it is tried again when the other one goes", async () => {
  const gateway = await refused();
  gateway.live("b", ["a.example.com"], { created: 2 });
  await gateway.pass();
  gateway.gone("b");
  const written = ["DELETE routes/b: 200", "DELETE upstreams/b: 200", "PUT upstreams/a: 201"];
  expect(await gateway.pass()).toEqual(written);
  expect(isRefused(gateway, "a")).toBe(true);
});

it("its upstream goes too when a stranger's route has come to stand there", async () => {
  const gateway = await refused();
  const upstream = { type: "roundrobin", nodes: { "10.9.9.9:80": 1 } };
  gateway.edit("PUT", "routes", "older", { uri: "/*", host: "a.example.com", upstream });
  await gateway.look();
  await gateway.pass();
  expect(gateway.writes.slice(1)).toEqual(["DELETE upstreams/a: 200"]);
});

it("of two routes on one pair that are both refused, no upstream goes while the other is tried again", async () => {
  const gateway = await refused();
  refuse(gateway, "b");
  gateway.live("b", ["a.example.com"], { created: 2 });
  await gateway.pass();
  expect(upstreams(gateway)).toEqual(["a", "b"]);
  const { until } = gateway.writer.records.get(gateway.id("a"))!.rejected!;
  await gateway.pass(until - gateway.clock.now() - 5000);
  // Nothing is looked at once more before a DELETE; and one try is under way when the time of the other has come.
  await gateway.look();
  const late = { kind: "delay", ms: 500, when: "after" } as const;
  gateway.admin.faults.add({ fault: late, methods: ["PUT"], resource: "routes" });
  const { struck } = gateway.admin.faults;
  expect(await gateway.pass(10_000)).toEqual([]);
  expect(gateway.admin.faults.struck).toBe(struck + 2);
});

/** `a` stands on `old.example.com`, for which `c` waits; what it asks for by now, `new.example.com`, was refused. */
async function refusedAfterAnEdit(): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["old.example.com"]);
  await gateway.pass();
  gateway.live("c", ["old.example.com"], { created: 3 });
  refuse(gateway, "a");
  gateway.live("a", ["new.example.com"]);
  expect(await gateway.pass()).toEqual([]);
  expect(isRefused(gateway, "a")).toBe(true);
  return gateway;
}

it("a route whose edit was refused keeps its old pair", async () => {
  const gateway = await refusedAfterAnEdit();
  expect(await gateway.pass(10_000)).toEqual([]);
  expect(gateway.hosts("a")).toEqual(["old.example.com"]);
  expect(gateway.writer.claims.outcome(gateway.id("c")).state).toBe("conflict");
});

it("it yields its old pair, as any other in conflict, once another's route stands on the one it asks for", async () => {
  const gateway = await refusedAfterAnEdit();
  gateway.live("b", ["new.example.com"], { created: 2 });
  const taken = ["PUT upstreams/b: 201", "PUT routes/b: 201"];
  const yielded = ["DELETE routes/a: 200", "PUT upstreams/c: 201", "PUT routes/c: 201"];
  expect(await gateway.pass()).toEqual([...taken, ...yielded, "DELETE upstreams/a: 200"]);
  expect(gateway.writer.claims.outcome(gateway.id("a")).state).toBe("conflict");
});

it("it yields too once a stranger's route stands there", async () => {
  const gateway = await refusedAfterAnEdit();
  const upstream = { type: "roundrobin", nodes: { "10.9.9.9:80": 1 } };
  gateway.edit("PUT", "routes", "stranger", { uri: "/*", host: "new.example.com", upstream });
  await gateway.look();
  await gateway.pass();
  expect(gateway.hosts("a")).toBeUndefined();
  expect(gateway.hosts("c")).toEqual(["old.example.com"]);
});

it("it is not written again and again while it stands where nobody else wants to be", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["old.example.com"]);
  await gateway.pass();
  refuse(gateway, "a");
  gateway.live("a", ["new.example.com"]);
  await gateway.pass();
  gateway.live("b", ["new.example.com"], { created: 2 });
  expect(await gateway.pass()).toEqual(["PUT upstreams/b: 201", "PUT routes/b: 201"]);
  expect(await gateway.pass(300_000)).toEqual([]);
  expect(gateway.hosts("a")).toEqual(["old.example.com"]);
  // Its pair is free again: what is asked for is tried again.
  const { struck } = gateway.admin.faults;
  gateway.gone("b");
  await gateway.pass();
  expect(gateway.admin.faults.struck).toBe(struck + 1);
});

it("what APISIX refuses of the yielding itself waits its time before it is tried again", async () => {
  const gateway = await refusedAfterAnEdit();
  const reply = refusal(400, "not now");
  const route = { methods: ["DELETE"], resource: "routes", id: gateway.id("a") } as const;
  gateway.admin.faults.add({ fault: { kind: "reply", reply }, ...route, times: 1000 });
  const { struck } = gateway.admin.faults;
  gateway.live("b", ["new.example.com"], { created: 2 });
  await gateway.pass(10_000);
  expect(gateway.admin.faults.struck).toBe(struck + 1);
  expect(gateway.hosts("a")).toEqual(["old.example.com"]);
  await gateway.pass(300_000);
  expect(gateway.admin.faults.struck).toBeGreaterThan(struck + 1);
});

it("who waits for a pair on which it might have stood is served as soon as it is read that it does not", async () => {
  const gateway = new WriterUnderTest();
  const route = { methods: ["PUT"], resource: "routes", id: gateway.id("a"), times: 1 } as const;
  gateway.admin.faults.add({ fault: { kind: "reset", when: "before" }, ...route });
  refuse(gateway, "a");
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(1000);
  const { rejected, uncertain } = gateway.writer.records.get(gateway.id("a"))!;
  expect([rejected?.resource, uncertain?.route]).toEqual(["route", true]);
  gateway.live("b", ["a.example.com"], { created: 2 });
  expect(await gateway.pass()).toEqual([]);
  await gateway.pass(rejected!.until - gateway.clock.now() - 1000);
  expect(gateway.hosts("b")).toEqual(["a.example.com"]);
});
