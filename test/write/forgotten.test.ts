import { expect, it } from "vitest";
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
