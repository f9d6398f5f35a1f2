import { expect, it } from "vitest";
import type { JsonObject } from "../../src/apisix/types.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

it("invariant 3: an id that is uncertain anew while it waits to be read back stays uncertain: what was sent may land late", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  const { faults } = gateway.admin;
  faults.add({ fault: { kind: "reset", when: "after" }, methods: ["PUT"], resource: "routes", times: 1 });
  gateway.live("a", ["b.example.com"], { upstream: false });
  await gateway.pass(2000);
  const record = gateway.writer.records.get(gateway.id("a"));
  expect(record?.uncertain?.okAt).toBeDefined();
  // Its next write is under way when it is to be read back, and lands when it was given up long ago.
  const due = (record?.uncertain?.okAt ?? 0) + 10_000;
  await gateway.pass(due - gateway.clock.now() - 500);
  faults.add({
    fault: { kind: "delay", ms: 8000, when: "before" },
    methods: ["PUT"],
    resource: "routes",
    times: 1,
  });
  gateway.live("a", ["c.example.com"], { upstream: false });
  await gateway.pass(10);
  gateway.answers.set("route a", "stale");
  gateway.live("a", ["b.example.com"], { upstream: false });
  await gateway.pass(3000);
  gateway.live("d", ["c.example.com"], { created: 2 });
  await gateway.pass(5000);
  expect(gateway.hosts("a")).toEqual(["c.example.com"]);
  expect(gateway.hosts("d")).toBeUndefined();
});

it.each([false, true])(
  "a group that goes (grace: %s) while its first route is on its way goes, though a look had just found nothing of it",
  async (grace) => {
    const gateway = new WriterUnderTest({ deleteGrace: 1000 });
    const slow = { kind: "delay", ms: 50, when: "before" } as const;
    for (const resource of ["upstreams", "routes"] as const)
      gateway.admin.faults.add({ fault: slow, methods: ["PUT"], resource, times: 1 });
    gateway.live("a", ["a.example.com"]);
    await gateway.pass(10);
    // The look comes between its upstream and its route.
    const { identity } = gateway.writer.records.get(gateway.id("a"))!;
    await Promise.all([gateway.writer.words.need(gateway.id("a"), identity), gateway.pass(80)]);
    expect(gateway.hosts("a")).toBeUndefined();
    gateway.gone("a", grace);
    expect(await gateway.pass(5000)).toEqual([
      "PUT routes/a: 201",
      ...(grace ? ["PUT upstreams/a: 200"] : []),
      ...["DELETE routes/a: 200", "DELETE upstreams/a: 200"],
    ]);
    expect(gateway.writer.claims.size).toBe(0);
  },
);

it("invariant 9: a shard's question about what cannot be read keeps the writer from being quiet only while it is asked", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(1000);
  const fault = { kind: "reset", when: "before" } as const;
  gateway.admin.faults.add({ fault, methods: ["GET"], resource: "upstreams", times: 100 });
  const { identity } = gateway.writer.records.get(gateway.id("a"))!;
  const asked = gateway.writer.words.need(gateway.id("a"), identity);
  expect(gateway.writer.isQuiet).toBe(false);
  await Promise.all([asked, gateway.pass(500)]);
  expect(gateway.writer.isQuiet).toBe(true);
});

it("invariant 3: an uncertain id may stand where a look has seen it, too: a dead leader's last request may have come", async () => {
  const gateway = new WriterUnderTest();
  const fault = { kind: "reset", when: "after" } as const;
  gateway.admin.faults.add({ fault, methods: ["PUT"], resource: "routes", times: 1 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(2000);
  expect(gateway.writer.records.get(gateway.id("a"))?.uncertain?.okAt).toBeDefined();
  const {
    create_time: _,
    update_time: __,
    ...stood
  } = gateway.admin.store.get("routes", gateway.id("a"))!.value;
  gateway.edit("PUT", "routes", "a", { ...(stood as JsonObject), hosts: ["x.example.com"] });
  await gateway.look();
  gateway.live("b", ["x.example.com"]);
  await gateway.pass(5000);
  expect(gateway.hosts("b")).toBeUndefined();
  await gateway.pass(10_000);
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(1000);
  expect([gateway.hosts("a"), gateway.hosts("b")]).toEqual([["a.example.com"], ["x.example.com"]]);
});
