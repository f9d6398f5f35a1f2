import { expect, it } from "vitest";
import { labelsOf } from "../../src/apisix/identity.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/** Declared again, without anything that its nodes could be read from; what stands has no nodes as it is. */
function declaredBare(gateway: WriterUnderTest, name: string, host: string, route = false): void {
  const age = { created: 1, cluster: "east", namespace: "shop", name };
  const content = { inherits: false, nodes: 0, bare: true, upstream: false, route };
  gateway.say(name, { type: "live", age, pairs: pairsOf([host], ["/*"]), ...content });
}

it("what goes during a pause and is declared again before its end stays, though it has no nodes", async () => {
  const gateway = new WriterUnderTest({ deleteGrace: 1000 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  await gateway.writer.pause.begin();
  gateway.gone("a", true);
  declaredBare(gateway, "a", "a.example.com");
  gateway.writer.pause.end();
  expect(await gateway.pass(60_000)).toEqual([]);
});

it("what the guard holds and is declared again without nodes is held no more: its route follows its declaration", async () => {
  const gateway = new WriterUnderTest({ maxDeletes: 0 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.gone("a", true);
  await gateway.pass();
  expect(gateway.writer.guard.status().held).toBe(1);
  declaredBare(gateway, "a", "b.example.com", true);
  expect(gateway.writer.guard.status().held).toBe(0);
  expect(await gateway.pass()).toEqual(["PUT routes/a: 200"]);
  expect(gateway.hosts("a")).toEqual(["b.example.com"]);
});

it.each(["as its writer left it", "as a look at all of APISIX found it"])(
  "what the guard holds and comes back without nodes, another object, has none to lose (%s)",
  async (how) => {
    const gateway = new WriterUnderTest({ maxDeletes: 0 });
    gateway.bare.add("a");
    gateway.live("a", ["a.example.com"]);
    await gateway.pass();
    if (how !== "as its writer left it") {
      const { identity } = gateway.writer.records.get(gateway.id("a"))!;
      const labels = labelsOf("default", identity);
      gateway.edit("PUT", "upstreams", "a", { type: "roundrobin", nodes: [], desc: "somebody's", labels });
      await gateway.look();
    }
    gateway.gone("a", true);
    expect(gateway.writer.guard.status().held).toBe(1);
    gateway.moveFrozen("a", true);
    expect(gateway.writer.guard.status().held).toBe(0);
    expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
  },
);

it("the guard is asked for what gets its first nodes while all that they were read from goes", async () => {
  const gateway = new WriterUnderTest({ maxDeletes: 0 });
  gateway.bare.add("a");
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.bare.delete("a");
  gateway.admin.faults.add({ fault: { kind: "delay", ms: 300, when: "before" }, methods: ["PUT"], times: 1 });
  gateway.move("a", ["a.example.com"]);
  await gateway.pass(10);
  gateway.bare.add("a");
  gateway.moveFrozen("a", true);
  expect(gateway.writer.guard.status().held).toBe(1);
  expect(await gateway.pass(2000)).toEqual(["PUT upstreams/a: 200"]);
});

it("what was emptied for want of all that is seen of it counts as let go still, when what was out of sight has gone too", async () => {
  const gateway = new WriterUnderTest({ maxDeletes: 0 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.bare.add("a");
  const lost = { type: "frozen", nodes: 0, onlyLost: true } as const;
  gateway.say("a", { ...lost, bare: true, upstream: true });
  const { guard } = gateway.writer;
  gateway.writer.approve(guard.status().batch ?? "");
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
  gateway.say("a", { ...lost, bare: false, upstream: false });
  gateway.gone("a", true);
  expect(guard.status().held).toBe(0);
  await gateway.pass(60_000);
  expect(gateway.hosts("a")).toBeUndefined();
});
