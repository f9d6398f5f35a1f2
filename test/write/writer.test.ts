import { expect, it } from "vitest";
import { labelsOf } from "../../src/apisix/identity.ts";
import type { Identity, JsonObject } from "../../src/apisix/types.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

const created = (name: string): string[] => [`PUT upstreams/${name}: 201`, `PUT routes/${name}: 201`];

it("writes an upstream before its route, and deletes them the other way round", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  expect(await gateway.pass()).toEqual(created("a"));
  gateway.gone("a");
  expect(await gateway.pass()).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
  expect([...gateway.writer.records.all()]).toEqual([]);
  expect(gateway.writer.claims.size).toBe(0);
});

it("writes no route while its upstream is only hoped to stand", async () => {
  const gateway = new WriterUnderTest();
  gateway.admin.faults.add({
    fault: { kind: "reset", when: "before" },
    methods: ["PUT"],
    resource: "upstreams",
    times: 2,
  });
  gateway.live("a", ["a.example.com"]);
  expect(await gateway.pass(5000)).toEqual(created("a"));
});

it("does not take down a route for another's sake that is wanted again before the request is sent", async () => {
  const gateway = new WriterUnderTest({ concurrency: 1 });
  for (const name of ["a", "c", "d"]) gateway.live(name, [`${name}.example.com`]);
  await gateway.pass();
  // It yields its host while it waits for another; before its DELETE has a turn, it wants the host again.
  gateway.live("a", ["c.example.com"]);
  await gateway.pass();
  gateway.admin.faults.add({ fault: { kind: "delay", ms: 500, when: "before" }, methods: ["PUT"], times: 1 });
  gateway.move("d", ["d.example.com"]);
  await gateway.pass(10);
  gateway.live("b", ["a.example.com"], { created: 2 });
  await gateway.pass(100);
  gateway.live("a", ["a.example.com"]);
  const written = await gateway.pass(2000);
  expect(written.filter((write) => write.includes("routes/a"))).toEqual([]);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
  expect(gateway.hosts("b")).toBeUndefined();
});

it("narrows no route whose upstream may be missing before that stands again", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com", "b.example.com"]);
  gateway.live("c", ["c.example.com"]);
  await gateway.pass();
  gateway.admin.faults.add({
    fault: { kind: "reset", when: "before" },
    methods: ["PUT"],
    resource: "upstreams",
    times: 1,
  });
  gateway.move("a", ["a.example.com", "b.example.com"]);
  await gateway.pass(20);
  gateway.edit("DELETE", "upstreams", "a");
  gateway.live("a", ["a.example.com", "c.example.com"], { upstream: false });
  gateway.live("b", ["b.example.com"], { created: 2 });
  const written = await gateway.pass(30_000);
  const first = (what: string): number => written.findIndex((write) => write.startsWith(what));
  expect(first("PUT upstreams/a: 201")).toBeGreaterThanOrEqual(0);
  expect(first("PUT routes/a")).toBeGreaterThan(first("PUT upstreams/a: 201"));
  expect(gateway.hosts("b")).toEqual(["b.example.com"]);
});

it("takes no fresh pair while foreign routes may have come unseen", async () => {
  const gateway = new WriterUnderTest();
  const slow = { kind: "delay", ms: 300, when: "before" } as const;
  gateway.admin.faults.add({ fault: slow, methods: ["PUT"], times: 1 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(100);
  gateway.isForeignKnown = false;
  await gateway.pass(5000);
  expect(gateway.hosts("a")).toBeUndefined();
  gateway.isForeignKnown = true;
  await gateway.pass(5000);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
});

it("invariant 3: takes no pair on which somebody has put another route of ours while the grant waited for its turn", async () => {
  const gateway = new WriterUnderTest({ concurrency: 1 });
  gateway.live("a", ["a.example.com"]);
  const slow = { kind: "delay", ms: 300, when: "before" } as const;
  gateway.admin.faults.add({ fault: slow, methods: ["PUT"], resource: "routes", id: gateway.id("b") });
  gateway.live("b", ["b.example.com"], { created: 2 });
  gateway.live("c", ["c.example.com"], { created: 3 });
  await gateway.pass(50);
  const {
    create_time: _,
    update_time: __,
    ...stood
  } = gateway.admin.store.get("routes", gateway.id("a"))!.value;
  gateway.edit("PUT", "routes", "a", { ...(stood as JsonObject), hosts: ["c.example.com"] });
  await gateway.look();
  await gateway.pass(2000);
  const routes = gateway.writes.filter((write) => write.startsWith("PUT routes"));
  const of = (name: string, status: number): string => `PUT routes/${name}: ${status}`;
  expect(routes).toEqual([of("a", 201), of("b", 201), of("a", 200), of("c", 201)]);
});

const none = { upstream: new Set<string>(), route: new Set<string>() };

it("believes its own look at an occupied id rather than an older list", async () => {
  const gateway = new WriterUnderTest();
  await gateway.pass();
  gateway.edit("PUT", "upstreams", "a", { type: "roundrobin", nodes: [] });
  const listedAt = gateway.clock.now();
  gateway.hidden.add("a");
  gateway.live("a", ["a.example.com"]);
  await Promise.all([
    gateway.writer.words.need(gateway.id("a"), gateway.writer.records.get(gateway.id("a"))!.identity),
    gateway.pass(20),
  ]);
  gateway.writer.setForeign({ routes: [], ids: none, asOf: listedAt });
  gateway.hidden.clear();
  gateway.writer.regate(gateway.writer.records.all());
  expect(await gateway.pass(2000)).toEqual([]);
  gateway.edit("DELETE", "upstreams", "a");
  gateway.writer.setForeign({ routes: [], ids: none, asOf: gateway.clock.now() });
  expect(await gateway.pass(2000)).toEqual(created("a"));
});

it("asks once for a body that the shard lets drop, and waits for its next word", async () => {
  const gateway = new WriterUnderTest();
  gateway.answers.set("route a", "stale");
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(10_000);
  expect(gateway.wants.filter((want) => want === "route a")).toHaveLength(1);
  gateway.answers.clear();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
});

it("reads an uncertain id back also when nothing is left to send", async () => {
  const gateway = new WriterUnderTest();
  await gateway.look();
  gateway.admin.faults.add({
    fault: { kind: "reset", when: "after" },
    methods: ["PUT"],
    resource: "routes",
    times: 1,
  });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass(20);
  gateway.say("a", { type: "untouched" });
  await gateway.pass(60_000);
  expect(gateway.writer.retries.uncertain).toBe(0);
  expect(gateway.writer.claims.holder("a.example.com /*")).toMatchObject({ foreign: false });
});

it("a lost answer of an upstream leaves certain where its route stands: that yields at once", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  const lost = { kind: "reset", when: "after" } as const;
  gateway.admin.faults.add({ fault: lost, methods: ["PUT"], resource: "upstreams", times: 1 });
  gateway.move("a", ["a.example.com"]);
  await gateway.pass(1000);
  gateway.live("a", ["c.example.com"]);
  gateway.live("b", ["a.example.com"], { created: 2 });
  await gateway.pass(1000);
  expect([gateway.hosts("a"), gateway.hosts("b")]).toEqual([["c.example.com"], ["a.example.com"]]);
});

it("finds in its first look what was declared and taken out again while that was under way", async () => {
  const gateway = new WriterUnderTest();
  const identity = {
    share: "none",
    cluster: "east",
    kind: "pod",
    namespace: "shop",
    name: "a",
    route: "web",
  };
  const labels = labelsOf("default", identity as Identity);
  gateway.edit("PUT", "upstreams", "a", { type: "roundrobin", nodes: [], labels });
  const route = { hosts: ["a.example.com"], uris: ["/*"], upstream_id: gateway.id("a"), labels };
  gateway.edit("PUT", "routes", "a", route);
  gateway.hidden.add("a");
  const looked = gateway.look();
  gateway.live("a", ["a.example.com"]);
  gateway.gone("a");
  await looked;
  expect([...gateway.writer.records.all()].map(({ id }) => id)).toEqual([gateway.id("a")]);
});

it("learns from a list what became of a group that waits while APISIX is away", async () => {
  const gateway = new WriterUnderTest();
  for (const name of ["a", "b", "c", "d"]) gateway.live(name, [`${name}.example.com`]);
  await gateway.pass();
  const away = { kind: "reply", reply: { status: 502, headers: {}, body: "<html>" } } as const;
  gateway.admin.faults.add({ fault: away, methods: ["PUT"] });
  gateway.admin.faults.add({ fault: away, methods: ["GET"], id: `t-${"0".repeat(40)}` });
  for (const name of ["b", "c", "d"]) gateway.live(name, [`${name}.example.org`]);
  await gateway.pass(2000);
  expect(gateway.writer.breaker.state).toBe("down");
  gateway.live("a", ["a.example.org"]);
  await gateway.pass();
  gateway.edit("DELETE", "routes", "a");
  await gateway.look();
  expect(gateway.writer.records.get(gateway.id("a"))?.route).toBeUndefined();
});
