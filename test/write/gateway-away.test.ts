import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

const names = Array.from({ length: 40 }, (_, at) => `g${at}`);

async function standing(): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest({ maxDeletes: 5 });
  for (const name of names) gateway.live(name, [`${name}.example.com`]);
  await gateway.pass(5000);
  expect(gateway.admin.store.list("routes")).toHaveLength(names.length);
  return gateway;
}

it("what must go while APISIX is away is judged whole when it answers again, not minute by minute", async () => {
  const gateway = await standing();
  gateway.admin.faults.setEtcd("down");
  for (const name of ["g0", "g1", "g2"]) gateway.move(name, [`${name}.example.com`]);
  await gateway.pass(5000);
  expect(gateway.writer.breaker.state).toBe("down");
  // Few enough a minute for the guard's window, and too many together.
  for (const name of names.slice(0, 20)) {
    gateway.gone(name);
    await gateway.pass(20_000);
  }
  gateway.admin.faults.setEtcd("up");
  await gateway.pass(120_000);
  expect(gateway.admin.store.list("routes")).toHaveLength(names.length);
  expect(gateway.writer.guard.status().held).toBe(20);
});

it("a pause that ends while APISIX is away lets nothing pass", async () => {
  const gateway = await standing();
  await gateway.writer.pause.begin();
  gateway.writer.pause.end();
  gateway.admin.faults.setEtcd("down");
  for (const name of ["g0", "g1", "g2"]) gateway.move(name, [`${name}.example.com`]);
  await gateway.pass(5000);
  await gateway.writer.pause.begin();
  for (const name of names.slice(0, 20)) gateway.gone(name);
  gateway.writer.pause.end();
  expect(gateway.writer.guard.status().held).toBe(0);
  gateway.admin.faults.setEtcd("up");
  await gateway.pass(120_000);
  expect(gateway.writer.guard.status().held).toBe(20);
});

it.each([429, 503])("APISIX is left alone for as long as it asks with a %s", async (status) => {
  const gateway = await standing();
  const body = JSON.stringify({ error_msg: "slow down" });
  const reply = { status, headers: { "retry-after": "40" }, body };
  const moved = names.slice(0, 8);
  gateway.admin.faults.add({ fault: { kind: "reply", reply }, times: moved.length });
  for (const name of moved) gateway.move(name, [`${name}.example.com`]);
  await gateway.pass(100);
  expect(await gateway.pass(39_000)).toEqual([]);
  expect(await gateway.pass(25_000)).toHaveLength(moved.length);
});
