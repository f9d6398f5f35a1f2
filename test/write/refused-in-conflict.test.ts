import { expect, it } from "vitest";
import { refusal } from "../../src/sim/admin/admin-reply.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/** What APISIX refuses of a route that never stood, while others want its pairs: a new leader has to find the same. */

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
