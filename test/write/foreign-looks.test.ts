import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

/** Invariant 3: what a look has read of strangers' routes counts while it goes on, and after it. */

async function standing(): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  await gateway.look();
  return gateway;
}

function stranger(gateway: WriterUnderTest, host: string): void {
  const upstream = { type: "roundrobin", nodes: { "192.0.2.1:80": 1 } };
  gateway.edit("PUT", "routes", "stranger", { uri: "/*", host, upstream });
}

const slow = { kind: "delay", ms: 500, when: "before" } as const;
const broken = { kind: "reply", reply: { status: 502, headers: {}, body: "<html>" } } as const;

it.each([
  ["are still being read", slow],
  ["cannot be read", broken],
])(
  "a pair that ours gives up is not taken from a stranger whose route was read, though upstreams %s",
  async (_, fault) => {
    const gateway = await standing();
    gateway.live("b", ["a.example.com"], { created: 2 });
    stranger(gateway, "a.example.com");
    gateway.admin.faults.add({ fault, methods: ["GET"], resource: "upstreams", times: 1 });
    const looked = gateway.audit.run();
    await gateway.pass();
    gateway.gone("a");
    expect(await gateway.pass()).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
    expect(await gateway.pass(5000)).toEqual([]);
    expect(await looked).toBe(fault === slow ? 0 : undefined);
    expect(gateway.writer.claims.outcome(gateway.id("b")).state).toBe("conflict");

    gateway.edit("DELETE", "routes", "stranger");
    await gateway.look();
    await gateway.pass();
    expect(gateway.hosts("b")).toEqual(["a.example.com"]);
  },
);

it("a stranger whose route was read after a look had read routes is not forgotten when that look ends", async () => {
  const gateway = await standing();
  gateway.admin.faults.add({ fault: slow, methods: ["GET"], resource: "upstreams", times: 1 });
  const looked = gateway.audit.run();
  await gateway.pass();
  stranger(gateway, "b.example.com");
  gateway.audit.outdateForeign();
  const refreshed = gateway.audit.refreshForeign();
  await gateway.pass();
  expect(await refreshed).toBe(true);
  gateway.live("b", ["b.example.com"], { created: 2 });
  expect(await gateway.pass(5000)).toEqual([]);
  expect(await looked).toBe(0);
  expect(gateway.writer.claims.holder("b.example.com /*")).toMatchObject({ foreign: true });
});

it("a stranger is not forgotten when a look that had read the routes before it came ends last", async () => {
  const gateway = await standing();
  gateway.admin.faults.add({ fault: slow, methods: ["GET"], resource: "services", times: 1 });
  gateway.audit.outdateForeign();
  const refreshed = gateway.audit.refreshForeign();
  await gateway.pass();
  stranger(gateway, "b.example.com");
  await gateway.look();
  gateway.live("b", ["b.example.com"], { created: 2 });
  expect(await gateway.pass(5000)).toEqual([]);
  expect(await refreshed).toBe(true);
  expect(gateway.writer.claims.outcome(gateway.id("b")).state).toBe("conflict");
});
