import { expect, it } from "vitest";
import { refusal } from "../../src/sim/admin/admin-reply.ts";
import { WriterUnderTest } from "./writer-under-test.ts";

/** What becomes of routes that are to change their hosts where APISIX refuses one of them. */

const swapped = ["DELETE routes/b: 200", "PUT routes/a: 200", "PUT routes/b: 201"];

/** `a` and `b` stand, `a` the older. */
async function standing(): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  gateway.live("b", ["b.example.com"], { created: 2 });
  await gateway.pass();
  return gateway;
}

function swap(gateway: WriterUnderTest): Promise<string[]> {
  gateway.live("a", ["b.example.com"], { upstream: false });
  gateway.live("b", ["a.example.com"], { created: 2, upstream: false });
  return gateway.pass();
}

function expectBothStand(gateway: WriterUnderTest): void {
  expect([gateway.hosts("a"), gateway.hosts("b")]).toEqual([["a.example.com"], ["b.example.com"]]);
}

function rejectedOf(gateway: WriterUnderTest, name: string) {
  return gateway.writer.records.get(gateway.id(name))?.rejected;
}

it.each(["a", "b"])(
  "where %s would be refused, nothing is written, and both stay as they are",
  async (wrong) => {
    const gateway = await standing();
    gateway.wrong.add(wrong);
    expect(await swap(gateway)).toEqual([]);
    expectBothStand(gateway);
    const other = wrong === "a" ? "b" : "a";
    expect(rejectedOf(gateway, wrong)).toMatchObject({ resource: "route", status: 400 });
    expect(gateway.writer.claims.outcome(gateway.id(other)).state).toBe("conflict");
  },
);

it("it is tried again in its time, at nobody's cost, and passes once APISIX accepts it", async () => {
  const gateway = await standing();
  gateway.wrong.add("a");
  await swap(gateway);
  expect(await gateway.pass(600_000)).toEqual([]);
  expect(rejectedOf(gateway, "a")?.times).toBeGreaterThan(2);
  gateway.wrong.delete("a");
  expect(await gateway.pass(1_800_000)).toEqual(swapped);
  expect(rejectedOf(gateway, "a")).toBeUndefined();
});

it("a new leader, which knows of no refusal, finds the same", async () => {
  const gateway = await standing();
  gateway.wrong.add("a");
  gateway.live("a", ["b.example.com"], { upstream: false });
  await gateway.pass();
  gateway.live("b", ["a.example.com"], { created: 2, upstream: false });
  expect(await gateway.pass()).toEqual([]);
  expectBothStand(gateway);
});

it("the upstream of one whose route stands is written before another's route is cut for it", async () => {
  const gateway = await standing();
  const refused = { kind: "reply", reply: refusal(400, "invalid configuration: no") } as const;
  gateway.admin.faults.add({ fault: refused, methods: ["PUT"], resource: "upstreams", times: 1 });
  gateway.move("a", ["a.example.com"]);
  await swap(gateway);
  expectBothStand(gateway);
  expect(rejectedOf(gateway, "a")?.resource).toBe("upstream");
});

it("a check without an answer is asked for again before anything is cut", async () => {
  const gateway = await standing();
  const lost = { kind: "reset", when: "after" } as const;
  gateway.admin.faults.add({ fault: lost, methods: ["POST"], times: 3 });
  gateway.live("a", ["b.example.com"], { upstream: false });
  gateway.live("b", ["a.example.com"], { created: 2, upstream: false });
  expect(await gateway.pass(150)).toEqual([]);
  expect((await gateway.pass(10_000)).toSorted()).toEqual(swapped.toSorted());
  expect([gateway.writer.retries.uncertain, gateway.writer.breaker.state]).toEqual([0, "up"]);
});

it("an APISIX that checks no bodies is not asked for more than it can tell: they swap", async () => {
  const gateway = await standing();
  const unable = { kind: "reply", reply: refusal(404, "Unsupported resource type: configs") } as const;
  gateway.admin.faults.add({ fault: unable, methods: ["POST"], times: 100 });
  expect(await swap(gateway)).toEqual(swapped);
});

it.each([3, 4, 5])(
  "of a ring of %i that are all refused nobody is asked about again before its time",
  async (size) => {
    const names = ["a", "b", "c", "d", "e"].slice(0, size);
    const gateway = new WriterUnderTest();
    const hostOf = (at: number): string => `${names[at % size]}.example.com`;
    for (const [at, name] of names.entries()) gateway.live(name, [hostOf(at)], { created: at });
    await gateway.pass();
    for (const name of names) gateway.wrong.add(name);
    for (const [at, name] of names.entries())
      gateway.live(name, [hostOf(at + 1)], { created: at, upstream: false });
    let asked = 0;
    gateway.admin.onExchange(({ method }) => (asked += method === "POST" ? 1 : 0));
    expect(await gateway.pass(50_000)).toEqual([]);
    expect(asked).toBe(size);
    expect(names.map((name) => rejectedOf(gateway, name)?.times)).toEqual(names.map(() => 1));
    for (const name of names) gateway.wrong.delete(name);
    await gateway.pass(600_000);
    expect(names.map((name) => gateway.hosts(name))).toEqual(names.map((_, at) => [hostOf(at + 1)]));
  },
);

it("where checks get no judgement for good, they swap all the same", async () => {
  const gateway = await standing();
  const down = { kind: "reply", reply: refusal(502, "no") } as const;
  gateway.admin.faults.add({ fault: down, methods: ["POST"], times: 1000 });
  expect(await swap(gateway)).toEqual([]);
  expect(await gateway.pass(30_000)).toEqual(swapped);
});
