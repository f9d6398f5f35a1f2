import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

it("a term begins with the first look that succeeds, whoever asked for it, and does not wait to look by itself", async () => {
  const gateway = new WriterUnderTest();
  const fault = { kind: "reply", reply: { status: 502, headers: {}, body: "<html>" } } as const;
  gateway.admin.faults.add({ fault, methods: ["GET"], resource: "routes", times: 4 });
  let owned: number | undefined;
  void gateway.audit.start(Infinity).then((found) => (owned = found?.owned.size));
  // Four looks have failed; the next one by itself is 8 s away.
  await gateway.pass(7500);
  expect(owned).toBeUndefined();
  await gateway.look();
  expect(owned).toBe(0);

  // Nor does it look again when that time is over.
  let reads = 0;
  gateway.admin.onExchange(({ method }) => (reads += method === "GET" ? 1 : 0));
  await gateway.pass(20_000);
  expect(reads).toBe(0);
  // A dead leader's last request may still land: that look is planned from the first one on.
  await gateway.pass(26_000);
  expect(reads).toBe(3);
});

it("so does one that was asked for before the term began: what an operator decided on it does not wait for another", async () => {
  const gateway = new WriterUnderTest();
  await gateway.look();
  const fault = { kind: "reply", reply: { status: 502, headers: {}, body: "<html>" } } as const;
  gateway.admin.faults.add({ fault, methods: ["GET"], resource: "routes" });
  let owned: number | undefined;
  void gateway.audit.start(Infinity).then((found) => (owned = found?.owned.size));
  await gateway.pass(1);
  expect(owned).toBe(0);
});
