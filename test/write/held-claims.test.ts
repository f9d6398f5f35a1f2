import { expect, it } from "vitest";
import { pairsOf } from "../../src/declare/pair.ts";
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
