import { expect, it } from "vitest";
import { pairsOf } from "../../src/declare/pair.ts";
import { resourceReply } from "../../src/sim/admin/admin-reply.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

it("what the guard holds and is read back after an uncertain write starts no burst after burst", async () => {
  const gateway = new WriterUnderTest({ maxDeletes: 0 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.admin.faults.add({
    fault: { kind: "reset", when: "after" },
    methods: ["PUT"],
    resource: "upstreams",
    times: 1,
  });
  gateway.move("a", ["a.example.com"]);
  await gateway.pass(20);
  const age = { created: 1, cluster: "east", namespace: "shop", name: "a" };
  const content = { inherits: false, nodes: 0, bare: true, upstream: true, route: true };
  gateway.say("a", { type: "live", age, pairs: pairsOf(["b.example.com"], ["/*"]), ...content });
  expect(gateway.writer.guard.status().held).toBe(1);
  let bursts = 0;
  Object.defineProperty(gateway, "isForeignKnown", {
    get: () => {
      bursts++;
      if (bursts > 1000) throw new Error("burst after burst");
      return true;
    },
  });
  await gateway.pass(60_000);
  gateway.live("c", ["c.example.com"]);
  await gateway.pass();
  expect(bursts).toBeLessThan(5);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
  gateway.writer.approve(gateway.writer.guard.status().batch ?? "");
  await gateway.pass();
  expect(gateway.hosts("a")).toEqual(["b.example.com"]);
});

it("what waits to be sent is not sent empty while a list that takes its slices away is judged", async () => {
  const gateway = new WriterUnderTest({ concurrency: 1, maxDeletes: 0 });
  for (const name of ["a", "b"]) gateway.live(name, [`${name}.example.com`]);
  await gateway.pass();
  gateway.admin.faults.add({ fault: { kind: "delay", ms: 300, when: "before" }, methods: ["PUT"], times: 1 });
  gateway.move("b", ["b.example.com"]);
  await gateway.pass(10);
  gateway.move("a", ["a.example.com"]);
  gateway.writer.removals.open("east", "pods");
  gateway.moveFrozen("a", true);
  expect(await gateway.pass(2000)).toEqual(["PUT upstreams/b: 200"]);
  gateway.writer.removals.close("east", "pods", () => false);
  expect(gateway.writer.guard.status().held).toBe(1);
  expect(await gateway.pass(2000)).toEqual([]);
  gateway.writer.approve(gateway.writer.guard.status().batch ?? "");
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
});

it("what was not sent while its removal was judged is sent when it is declared again", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  const fault = { kind: "reply", reply: resourceReply(500, '{"error_msg":"no"}') } as const;
  gateway.admin.faults.add({ fault, methods: ["PUT"], resource: "upstreams", times: 1 });
  gateway.move("a", ["a.example.com"]);
  await gateway.pass(10);
  gateway.writer.removals.open("east", "pods");
  const age = { created: 1, cluster: "east", namespace: "shop", name: "a" };
  const content = { inherits: false, nodes: 0, bare: true, upstream: true, route: false };
  gateway.say("a", { type: "live", age, pairs: pairsOf(["a.example.com"], ["/*"]), ...content });
  expect(await gateway.pass(5000)).toEqual([]);
  gateway.live("a", ["a.example.com"], { upstream: false, route: false });
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
});
