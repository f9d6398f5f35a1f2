/** The embedded Admin API over real sockets: faults, journal and what tests do from outside. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AdminJournal } from "../../../src/sim/admin/admin-exchange.ts";
import { startAdminServer, type AdminServer } from "../../../src/sim/admin/admin-server.ts";
import { htmlReply } from "../../../src/sim/admin/admin-reply.ts";
import { EmbeddedAdmin } from "../../../src/sim/admin/embedded-admin.ts";
import { wrongTypes } from "../../../src/sim/admin/spoil-reply.ts";
import { VirtualClock } from "./virtual-clock.ts";

let server: AdminServer;

beforeEach(async () => {
  server = await startAdminServer({ etcdTimeout: 5 });
});

afterEach(() => server.close());

function call(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/apisix/admin/${path}`, {
    method,
    redirect: "manual",
    headers: { "x-api-key": server.adminKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const upstream = { nodes: [{ host: "10.0.0.1", port: 80, weight: 1 }] };

/** Resolves when the server has applied or refused the next request of that method. */
function applied(method: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = server.admin.onExchange((exchange) => {
      if (exchange.method !== method) return;
      stop();
      resolve();
    });
  });
}

test("the journal holds each request with its body, status and what it changed", async () => {
  const journal = new AdminJournal(2);
  server.admin.onExchange(journal.add);
  await call("PUT", "upstreams/a", upstream);
  await call("PUT", "routes/r", { uri: "/*", upstream_id: "missing" });
  await call("GET", "upstreams");
  server.admin.handle({ method: "DELETE", path: "/apisix/admin/upstreams/a" });
  expect(journal.exchanges.map(({ seq, method }) => `${seq} ${method}`)).toEqual(["3 GET", "4 DELETE"]);
  const [deleted] = journal.writes;
  expect(deleted).toMatchObject({ resource: "upstreams", id: "a", status: 200, direct: true });
  expect(deleted?.changes.map(({ before, after }) => [before?.value["nodes"], after])).toEqual([
    [upstream.nodes, undefined],
  ]);
});

test("a refused write is in the journal with its parsed body and no change", async () => {
  const journal = new AdminJournal(10);
  server.admin.onExchange(journal.add);
  await call("PUT", "routes/r", { uri: "/*", upstream_id: "missing" });
  expect(journal.writes).toMatchObject([
    { resource: "routes", status: 400, body: { uri: "/*" }, changes: [], direct: false },
  ]);
});

test("a hung etcd holds a PUT, and applies it when it is back although the client gave up", async () => {
  server.admin.faults.setEtcd("hung");
  const stop = new AbortController();
  const given = call("PUT", "upstreams/late", upstream, stop.signal);
  await call("DELETE", "upstreams/other");
  stop.abort();
  await expect(given).rejects.toThrow();
  expect(server.admin.store.get("upstreams", "late")).toBeUndefined();
  server.admin.faults.setEtcd("up");
  expect(server.admin.store.get("upstreams", "late")?.value["nodes"]).toEqual(upstream.nodes);
});

test("while etcd hangs, what must read first is refused after its timeout", async () => {
  await call("PUT", "upstreams/a", upstream);
  server.admin.faults.setEtcd("hung");
  const route = await call("PUT", "routes/r", { uri: "/*", upstream_id: "a" });
  expect([route.status, await route.text()]).toEqual([
    400,
    expect.stringContaining("has no healthy etcd endpoint available"),
  ]);
  expect((await call("DELETE", "upstreams/a")).status).toBe(503);
  expect(server.admin.store.size("upstreams")).toBe(1);
});

test.each([
  { when: "before", stands: 0 },
  { when: "after", stands: 1 },
] as const)("a connection reset $when applying leaves $stands objects", async ({ when, stands }) => {
  server.admin.faults.add({ fault: { kind: "reset", when }, times: 1 });
  await expect(call("PUT", "upstreams/a", upstream)).rejects.toThrow();
  expect(server.admin.store.size("upstreams")).toBe(stands);
  expect((await call("GET", "upstreams")).status).toBe(200);
});

test("something in APISIX's place answers with 429, a page or a redirect, and nothing is applied", async () => {
  const replies = [
    { status: 429, headers: { "content-type": "text/plain", "retry-after": "1" }, body: "slow down" },
    htmlReply(502, "Bad Gateway", "nginx"),
    { status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" },
  ];
  for (const reply of replies) {
    server.admin.faults.add({ methods: ["PUT"], fault: { kind: "reply", reply }, times: 1 });
    const answer = await call("PUT", "upstreams/a", upstream);
    expect([answer.status, await answer.text()]).toEqual([reply.status, reply.body]);
  }
  expect(server.admin.store.size("upstreams")).toBe(0);
});

test("the key is refused while the fault is on", async () => {
  const mend = server.admin.faults.add({ fault: { kind: "wrong-key" } });
  expect((await call("GET", "routes")).status).toBe(401);
  mend();
  expect((await call("GET", "routes")).status).toBe(200);
});

test("a list is cut off: as if complete, or with a broken connection", async () => {
  await call("PUT", "upstreams/a", upstream);
  server.admin.faults.add({ methods: ["GET"], fault: { kind: "body", keep: 0.5, ending: "end" }, times: 1 });
  await expect((await call("GET", "upstreams")).json()).rejects.toThrow(SyntaxError);
  server.admin.faults.add({
    methods: ["GET"],
    fault: { kind: "body", keep: 0.5, ending: "reset" },
    times: 1,
  });
  await expect(call("GET", "upstreams").then((answer) => answer.text())).rejects.toThrow();
});

test("an endless body goes on until the client leaves", async () => {
  server.admin.faults.add({ fault: { kind: "body", keep: 0.5, ending: "endless" } });
  const answer = await call("GET", "upstreams");
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > 1_000_000) break;
  }
  expect(bytes).toBeGreaterThan(1_000_000);
});

test.each(wrongTypes)("a list can carry wrong types: %s", async (what) => {
  await call("PUT", "upstreams/a", upstream);
  const right = await (await call("GET", "upstreams")).json();
  server.admin.faults.add({ fault: { kind: "wrong-types", what } });
  expect(await (await call("GET", "upstreams")).json()).not.toEqual(right);
});

test("rules strike by method, resource, id, chance and number of times", async () => {
  const reply = { status: 418, headers: {}, body: "" };
  server.admin.faults.add({
    methods: ["PUT"],
    resource: "upstreams",
    id: "b",
    times: 1,
    fault: { kind: "reply", reply },
  });
  server.admin.faults.add({ resource: "services", chance: 0, fault: { kind: "reply", reply } });
  const statuses: number[] = [];
  for (const [method, path] of [
    ["PUT", "upstreams/a"],
    ["GET", "upstreams/b"],
    ["PUT", "upstreams/b"],
    ["PUT", "upstreams/b"],
    ["GET", "services"],
  ] as const) {
    statuses.push((await call(method, path, method === "PUT" ? upstream : undefined)).status);
  }
  expect(statuses).toEqual([201, 404, 418, 201, 200]);
});

test("a DELETE judged by a stale view is refused after the route is gone, and let through just after the route came", async () => {
  await call("PUT", "upstreams/a", upstream);
  const stale = { kind: "stale-references", lag: 60_000 } as const;
  await call("PUT", "routes/r", { uri: "/*", upstream_id: "a" });
  await call("DELETE", "routes/r");
  server.admin.faults.add({ methods: ["DELETE"], fault: stale, times: 1 });
  const late = await call("DELETE", "upstreams/a");
  expect([late.status, await late.text()]).toEqual([
    400,
    expect.stringContaining("route [r] is still using it now"),
  ]);
  await call("PUT", "routes/r", { uri: "/*", upstream_id: "a" });
  server.admin.faults.add({ methods: ["DELETE"], fault: stale, times: 1 });
  expect((await call("DELETE", "upstreams/a")).status).toBe(200);
  expect(server.admin.store.get("routes", "r")?.value["upstream_id"]).toBe("a");
});

test("a client that leaves in mid-request does not take its write back", async () => {
  const { port, adminKey } = server;
  const body = JSON.stringify(upstream);
  server.admin.faults.add({ methods: ["PUT"], fault: { kind: "delay", ms: 10, when: "before" } });
  const done = applied("PUT");
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `PUT /apisix/admin/upstreams/gone HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${adminKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.end(),
  );
  await done;
  expect(server.admin.store.get("upstreams", "gone")).toBeDefined();
});

test("route and service writes are counted, those within 50 ms as one rebuild; upstream writes cost nothing", async () => {
  const clock = new VirtualClock();
  const admin = new EmbeddedAdmin({ clock });
  const put = (path: string, body: unknown) =>
    admin.handle({ method: "PUT", path: `/apisix/admin/${path}`, body });
  put("upstreams/a", upstream);
  expect(admin.router).toMatchObject({ writes: 0, rebuilds: 0 });
  put("routes/a", { uri: "/*", upstream_id: "a" });
  await clock.advance(40);
  put("services/s", {});
  await clock.advance(20);
  admin.handle({ method: "DELETE", path: "/apisix/admin/routes/a" });
  expect(admin.router).toMatchObject({ writes: 3, rebuilds: 2 });
});

test("stream routes answer 400 to everything when stream mode is off", async () => {
  await using off = await startAdminServer({ streamRoutes: false });
  for (const method of ["GET", "PUT", "DELETE"]) {
    expect(off.admin.handle({ method, path: "/apisix/admin/stream_routes/s", body: {} }).status).toBe(400);
  }
});

test("a body nested beyond reason is answered, and the server lives on", async () => {
  const depth = 200_000;
  const body = `{"uri":"/*","plugins":{},"vars":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const answer = server.admin.handle({ method: "PUT", path: "/apisix/admin/routes/deep", body });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect((await call("GET", "routes")).status).toBe(200);
});
