import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

const hostsOf = (name: string): string[] => [`${name}.example.com`];

it.each([
  ["deleted", 0],
  ["emptied", 30_000],
])(
  "a minute begins when what was let go has been %s, not when it was let go and had to wait for its turn",
  async (_what, deleteGrace) => {
    const gateway = new WriterUnderTest({ maxDeletes: 2, deleteGrace });
    for (const name of ["a", "b", "c", "d"]) gateway.live(name, hostsOf(name));
    await gateway.pass(1000);
    gateway.admin.faults.add({
      fault: { kind: "delay", ms: 900, when: "before" },
      methods: ["PUT"],
      times: 1,
    });
    gateway.move("a", hostsOf("a"));
    await gateway.pass(10);
    // `b` goes at once, `a` when its write has been answered.
    for (const name of ["a", "b"]) gateway.gone(name, true);
    await gateway.pass(60_090);
    const { guard } = gateway.writer;
    expect(guard.status().held).toBe(0);
    for (const name of ["c", "d"]) gateway.gone(name, true);
    expect([gateway.id("c"), gateway.id("d")].map((id) => guard.isHeld(id))).toEqual([false, true]);
    await gateway.pass(60_000);
    expect(["a", "b", "c", "d"].filter((name) => gateway.hosts(name) !== undefined)).toEqual(["d"]);
  },
);

it("what had no nodes to lose counts until it is deleted, and for a minute from then", async () => {
  const gateway = new WriterUnderTest({ maxDeletes: 2, deleteGrace: 30_000 });
  for (const name of ["a", "b"]) gateway.bare.add(name);
  for (const name of ["a", "b", "c"]) gateway.live(name, hostsOf(name));
  await gateway.pass(1000);
  for (const name of ["a", "b"]) gateway.gone(name, true);
  await gateway.pass(61_000);
  expect(["a", "b"].map((name) => gateway.hosts(name))).toEqual([undefined, undefined]);
  const { guard } = gateway.writer;
  gateway.gone("c", true);
  expect(guard.isHeld(gateway.id("c"))).toBe(true);
  gateway.live("c", hostsOf("c"));
  await gateway.pass(30_000);
  gateway.gone("c", true);
  expect(guard.isHeld(gateway.id("c"))).toBe(false);
});

it("a route that was to step back, could not, and need not any more leaves room again a minute later", async () => {
  const gateway = new WriterUnderTest({ maxDeletes: 1 });
  const upstream = { type: "roundrobin", nodes: { "192.0.2.1:80": 1 } };
  const stranger = (host: string): void =>
    gateway.edit("PUT", "routes", "older", { uri: "/*", host, upstream });
  stranger("x.example.com");
  for (const name of ["a", "b", "c"]) gateway.live(name, hostsOf(name));
  await gateway.pass();
  await gateway.look();
  stranger("a.example.com");
  const reply = { status: 429, headers: { "retry-after": "30" }, body: "" };
  gateway.admin.faults.add({ fault: { kind: "reply", reply }, methods: ["DELETE"], times: 1 });
  await gateway.look();
  expect(gateway.writer.guard.hasPassed(gateway.id("a"))).toBe(true);
  stranger("x.example.com");
  await gateway.look();
  for (const name of ["b", "c"]) {
    gateway.gone(name);
    await gateway.pass(60_000);
  }
  expect(["a", "b", "c"].map((name) => gateway.hosts(name))).toEqual([hostsOf("a"), hostsOf("b"), undefined]);
});
