import { expect, it } from "vitest";
import { refusal } from "../../src/sim/admin/admin-reply.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/** The next body of this resource of `a` is refused, which is waited after for a minute at least. */
function refuseNext(gateway: WriterUnderTest, resource: "routes" | "upstreams"): void {
  const reply = refusal(400, "failed to check the configuration of plugin limit-count err: …");
  const subject = { methods: ["PUT"], resource, id: gateway.id("a") };
  gateway.admin.faults.add({ fault: { kind: "reply", reply }, ...subject, times: 1 });
}

function refusedOf(gateway: WriterUnderTest): string | undefined {
  return gateway.writer.records.get(gateway.id("a"))?.rejected?.resource;
}

/** `a` and `b` stand, and what `a` declares besides was refused. */
async function refusedRoute(deleteGrace = 0): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest({ deleteGrace });
  gateway.live("a", ["a.example.com"]);
  gateway.live("b", ["b.example.com"]);
  await gateway.pass();
  refuseNext(gateway, "routes");
  gateway.live("a", ["a.example.com", "refused.example.com"], { upstream: false });
  await gateway.pass();
  expect(refusedOf(gateway)).toBe("route");
  expect(gateway.warned).toEqual(["APISIX refused what is declared"]);
  return gateway;
}

it("an upstream follows a declaration that comes in conflict after its route was refused", async () => {
  const gateway = await refusedRoute();
  gateway.move("a", ["b.example.com"]);
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
});

it("an upstream that was refused is tried again with what comes in conflict after it", async () => {
  const gateway = await refusedRoute();
  refuseNext(gateway, "upstreams");
  gateway.move("a", ["b.example.com"]);
  await gateway.pass();
  expect(refusedOf(gateway)).toBe("upstream");
  gateway.live("a", ["b.example.com"], { upstream: false });
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
});

it("nodes are followed of what became Invalid after its route was refused", async () => {
  const gateway = await refusedRoute();
  gateway.moveFrozen("a");
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
});

it("what goes after its route was refused is emptied at once, and deleted when its grace is over", async () => {
  const gateway = await refusedRoute(1000);
  gateway.gone("a", true);
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
  expect(await gateway.pass(2000)).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
});

it("what APISIX refused to have emptied is deleted when its grace is over", async () => {
  const gateway = new WriterUnderTest({ deleteGrace: 1000 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  refuseNext(gateway, "upstreams");
  gateway.gone("a", true);
  await gateway.pass();
  expect(refusedOf(gateway)).toBe("upstream");
  // Nobody has to correct a declaration for that.
  expect(gateway.warned).toEqual(["APISIX refused to change what stands"]);
  expect(await gateway.pass(2000)).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
});

it("what APISIX refuses of the end itself waits its time before it is tried again", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  const reply = refusal(400, "not now");
  const route = { methods: ["DELETE"], resource: "routes", id: gateway.id("a") } as const;
  gateway.admin.faults.add({ fault: { kind: "reply", reply }, ...route, times: 1000 });
  gateway.gone("a");
  await gateway.pass(400_000);
  expect(gateway.admin.faults.struck).toBe(3);
  expect(gateway.warned).toEqual(["APISIX refused to change what stands"]);
});

it("what had no answer before it was refused waits no longer for that", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  const unanswered = { kind: "reset", when: "before" } as const;
  const subject = { methods: ["PUT"], resource: "upstreams", id: gateway.id("a") } as const;
  gateway.admin.faults.add({ fault: unanswered, ...subject, times: 2 });
  gateway.move("a", ["a.example.com"]);
  while (gateway.admin.faults.struck < 2) await gateway.pass(1);
  refuseNext(gateway, "upstreams");
  await gateway.pass(5000);
  expect(refusedOf(gateway)).toBe("upstream");
  expect(await gateway.pass(60_000)).toContain("PUT upstreams/a: 200");
});

it("what is taken out after its route was refused is deleted at once", async () => {
  const gateway = await refusedRoute();
  gateway.gone("a");
  expect(await gateway.pass()).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
});

it("what lost its slices after its route was refused is emptied at once", async () => {
  const gateway = await refusedRoute();
  gateway.moveFrozen("a", true);
  expect(await gateway.pass()).toEqual(["PUT upstreams/a: 200"]);
});

it("what goes while its route is being refused does not wait as long as the refused body would", async () => {
  const gateway = new WriterUnderTest({ deleteGrace: 1000 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  refuseNext(gateway, "routes");
  gateway.live("a", ["a.example.com", "refused.example.com"], { upstream: false });
  const record = gateway.writer.records.get(gateway.id("a"))!;
  while (!record.atWork) await gateway.clock.advance(0);
  gateway.gone("a", true);
  expect(await gateway.pass(500)).toEqual(["PUT upstreams/a: 200"]);
  expect(record.rejected).toBeUndefined();
});

it("nodes that change while its route waits for its turn are written though APISIX then refuses the route", async () => {
  const gateway = new WriterUnderTest({ concurrency: 1 });
  gateway.live("a", ["a.example.com"]);
  gateway.live("b", ["b.example.com"]);
  await gateway.pass();
  const late = { kind: "delay", ms: 50, when: "after" } as const;
  const other = { methods: ["PUT"], resource: "upstreams", id: gateway.id("b") } as const;
  gateway.admin.faults.add({ fault: late, ...other, times: 1 });
  gateway.move("b", ["b.example.com"]);
  await gateway.clock.advance(10);
  refuseNext(gateway, "routes");
  gateway.live("a", ["a.example.com", "refused.example.com"], { upstream: false });
  await gateway.clock.advance(10);
  gateway.move("a", ["a.example.com", "refused.example.com"]);
  expect(await gateway.pass()).toContain("PUT upstreams/a: 200");
  expect(refusedOf(gateway)).toBe("route");
});
