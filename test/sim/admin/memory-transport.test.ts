import { expect, test } from "vitest";
import type { AdminRequest, AdminResponse } from "../../../src/apisix/transport.ts";
import { TranslatorError } from "../../../src/errors.ts";
import type { AdminFault } from "../../../src/sim/admin/admin-faults.ts";
import { AdminJournal } from "../../../src/sim/admin/admin-exchange.ts";
import { EmbeddedAdmin } from "../../../src/sim/admin/embedded-admin.ts";
import { memoryAdminTransport } from "../../../src/sim/admin/memory-transport.ts";
import { VirtualClock } from "./virtual-clock.ts";

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

function simulated(seed = 1, pieceBytes = 64) {
  const clock = new VirtualClock();
  const random = seeded(seed);
  const admin = new EmbeddedAdmin({ clock, random });
  const send = memoryAdminTransport(admin, { clock, random, latency: [1, 9], pieceBytes });
  const journal = new AdminJournal(100);
  admin.onExchange(journal.add);
  return { clock, admin, send, journal };
}

const upstream = (id: string): AdminRequest => ({
  method: "PUT",
  path: `/apisix/admin/upstreams/${id}`,
  body: JSON.stringify({ nodes: [{ host: "10.0.0.1", port: 80, weight: 1 }] }),
  timeout: 5_000,
});
const list: AdminRequest = { method: "GET", path: "/apisix/admin/upstreams", timeout: 5_000 };

type Outcome = { readonly response: AdminResponse } | { readonly code: string };

/** How a request ended, once it did. */
function watched(sent: Promise<AdminResponse>): { outcome: Outcome | undefined } {
  const seen: { outcome: Outcome | undefined } = { outcome: undefined };
  sent.then(
    (response) => (seen.outcome = { response }),
    (error: unknown) =>
      (seen.outcome = { code: error instanceof TranslatorError ? error.code : String(error) }),
  );
  return seen;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function responseIn(seen: { outcome: Outcome | undefined }): AdminResponse {
  if (seen.outcome === undefined || !("response" in seen.outcome))
    throw new Error("there is no response yet");
  return seen.outcome.response;
}

test("a request arrives and is answered as time passes, its body in pieces", async () => {
  const { clock, send, admin } = simulated();
  const put = watched(send(upstream("a")));
  await clock.advance(0.5);
  expect(admin.store.size("upstreams")).toBe(0);
  await clock.advance(20);
  expect(responseIn(put)).toMatchObject({
    status: 201,
    contentType: "application/json",
    server: "APISIX/3.18.0",
  });
  const got = watched(send(list));
  await clock.advance(20);
  expect(JSON.parse(await textOf(responseIn(got).body))).toMatchObject({
    total: 1,
    list: [{ key: "/apisix/upstreams/a" }],
  });
});

test("requests overtake each other, and the same seed gives the same order", async () => {
  const orderOf = async (seed: number) => {
    const { clock, send, journal } = simulated(seed);
    for (const id of "abcdefgh") watched(send(upstream(id)));
    await clock.advance(50);
    return journal.writes.map(({ id }) => id).join("");
  };
  const orders = [await orderOf(1), await orderOf(1), await orderOf(2)];
  expect(orders[0]).not.toBe("abcdefgh");
  expect(orders[1]).toBe(orders[0]);
  expect(orders[2]).not.toBe(orders[0]);
});

test("a client gives up after its timeout; the late request is applied all the same", async () => {
  const { clock, send, admin } = simulated();
  admin.faults.add({ methods: ["PUT"], fault: { kind: "delay", ms: 30_000, when: "before" } });
  const put = watched(send(upstream("late")));
  await clock.advance(5_000);
  expect(put.outcome).toEqual({ code: "ADMIN_CONNECTION" });
  expect(admin.store.get("upstreams", "late")).toBeUndefined();
  await clock.advance(30_000);
  expect(admin.store.get("upstreams", "late")).toBeDefined();
});

test("of two delays that strike one request the longer counts: it is applied no later than either says", async () => {
  const { clock, send, admin } = simulated();
  for (const ms of [13_000, 8_000])
    admin.faults.add({ fault: { kind: "delay", ms, when: "before" }, times: 1 });
  watched(send(upstream("late")));
  await clock.advance(12_900);
  expect(admin.store.get("upstreams", "late")).toBeUndefined();
  await clock.advance(200);
  expect(admin.store.get("upstreams", "late")).toBeDefined();
});

test.each([
  { when: "before", stands: 0 },
  { when: "after", stands: 1 },
] as const)("a reset $when applying leaves $stands objects and no answer", async ({ when, stands }) => {
  const { clock, send, admin } = simulated();
  admin.faults.add({ fault: { kind: "reset", when }, times: 1 });
  const put = watched(send(upstream("x")));
  await clock.advance(20);
  expect(put.outcome).toEqual({ code: "ADMIN_CONNECTION" });
  expect(admin.store.size("upstreams")).toBe(stands);
});

test("an aborted request ends at once with ABORTED, and one that was aborted before is never sent", async () => {
  const { clock, send, journal } = simulated();
  const stop = new AbortController();
  const sent = watched(send({ ...upstream("x"), signal: stop.signal }));
  await clock.advance(0.5);
  stop.abort();
  await clock.advance(0);
  expect(sent.outcome).toEqual({ code: "ABORTED" });
  const never = watched(send({ ...upstream("y"), signal: stop.signal }));
  await clock.advance(50);
  expect(never.outcome).toEqual({ code: "ABORTED" });
  expect(journal.writes.map(({ id }) => id)).toEqual(["x"]);
});

async function listUnder(fault: AdminFault) {
  const world = simulated();
  for (const id of "abc")
    world.admin.handle({ method: "PUT", path: `/apisix/admin/upstreams/${id}`, body: { nodes: [] } });
  world.admin.faults.add({ methods: ["GET"], fault });
  const got = watched(world.send(list));
  await world.clock.advance(20);
  return { ...world, body: responseIn(got).body };
}

test("a list that is cut off ends early, breaks, or stalls until the timeout", async () => {
  const short = await listUnder({ kind: "body", keep: 0.5, ending: "end" });
  const text = await textOf(short.body);
  expect(() => JSON.parse(text)).toThrow(SyntaxError);

  const broken = await listUnder({ kind: "body", keep: 0.5, ending: "reset" });
  await expect(textOf(broken.body)).rejects.toMatchObject({ code: "ADMIN_CONNECTION" });

  const stalled = await listUnder({ kind: "body", keep: 0.5, ending: "stall" });
  const reading = expect(textOf(stalled.body)).rejects.toMatchObject({ code: "ADMIN_CONNECTION" });
  await stalled.clock.advance(5_000);
  await reading;
});

test("an endless body goes on until its reader stops", async () => {
  const { body, clock } = await listUnder({ kind: "body", keep: 1, ending: "endless" });
  let bytes = 0;
  const reading = (async () => {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > 10_000) break;
    }
  })();
  await clock.advance(1_000);
  await reading;
  expect(bytes).toBeGreaterThan(10_000);
});
