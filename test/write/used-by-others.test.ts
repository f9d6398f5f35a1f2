import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

const minutes = 60_000;

/** `a` is taken out, while a stranger's route uses its upstream. */
async function used(): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  const body = { uri: "/*", host: "f.example.com", upstream_id: gateway.id("a") };
  gateway.admin.handle({ method: "PUT", path: "/apisix/admin/routes/foreign", body });
  gateway.gone("a");
  return gateway;
}

it("an upstream that a stranger's route uses is tried ever more rarely, and goes once it is free", async () => {
  const gateway = await used();
  const early = await gateway.pass(10 * minutes);
  expect(early.length).toBeLessThan(20);
  expect((await gateway.pass(60 * minutes)).length).toBeLessThan(25);
  expect([...gateway.writer.retries.used].map(({ usedBy }) => usedBy)).toEqual(["route [foreign]"]);
  gateway.admin.handle({ method: "DELETE", path: "/apisix/admin/routes/foreign" });
  expect(await gateway.pass(5 * minutes)).toEqual(["DELETE upstreams/a: 200"]);
  expect([...gateway.writer.retries.used]).toEqual([]);
});

it("what is declared again while a stranger's route uses its upstream does not wait", async () => {
  const gateway = await used();
  await gateway.pass(60 * minutes);
  gateway.live("a", ["a.example.com"]);
  expect(await gateway.pass()).toEqual(["PUT routes/a: 201"]);
  expect([...gateway.writer.retries.used]).toEqual([]);
});

it("our own route, which APISIX still counts for a moment after its end, is no stranger's", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  const fault = { kind: "stale-references", lag: 1000 } as const;
  gateway.admin.faults.add({ fault, methods: ["DELETE"], resource: "upstreams" });
  gateway.gone("a");
  expect(await gateway.pass()).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 400"]);
  expect([...gateway.writer.retries.used]).toEqual([]);
});
