import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { BoundedServer } from "../../src/observe/bounded-server.ts";
import type { BoundedServerParts } from "../../src/observe/bounded-server.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { raw } from "./http-harness.ts";

const servers: BoundedServer[] = [];
const short = { headers: 50, request: 100, idle: 50, answer: 30_000, close: 50, check: 10 };

async function serve(parts: Partial<BoundedServerParts> = {}): Promise<number> {
  const server = new BoundedServer({ clock: systemClock, log: silentLog, endpoints: [big], ...parts });
  servers.push(server);
  return (await server.listen("127.0.0.1", 0)).port;
}

/** More than the buffers of both sockets take. */
const big = {
  path: "/big",
  method: "GET" as const,
  answer: () => ({ status: 200, type: "text/plain", text: "x".repeat(64 * 2 ** 20) }),
};

const echo = {
  path: "/post",
  method: "POST" as const,
  answer: () => ({ status: 200, type: "text/plain", text: "done" }),
};

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

it.each([
  ["nothing at all", ""],
  ["half a request line", "GET /bi"],
  ["headers that never end", "GET /big HTTP/1.1\r\nhost: x\r\n"],
])("lets go a client that sends %s", async (_what, text) => {
  const answer = await raw(await serve({ times: short }), text);
  expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

it("lets go a client that does not read its answer", async () => {
  const clock = new VirtualClock();
  const port = await serve({ clock });
  const socket = connect(port, "127.0.0.1", () => socket.write("GET /big HTTP/1.1\r\nhost: x\r\n\r\n"));
  const closed = new Promise<void>((resolve) => void socket.on("close", () => resolve()));
  await new Promise((resolve) => socket.once("readable", resolve));
  await clock.advance(30_000);
  socket.on("error", () => socket.destroy());
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(64 * 2 ** 20);
});

it.each([
  ["headers over the limit", `GET /big HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(30_000)}\r\n\r\n`, 431],
  ["a path over the limit", `GET /${"y".repeat(30_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  ["what is not HTTP", "\u0016\u0003\u0001 hello\r\n\r\n", 400],
  ["two lengths", "GET /big HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400],
  [
    "length and chunks",
    "POST /post HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
])("refuses %s and closes", async (_what, text, status) => {
  const answer = await raw(await serve({ endpoints: [big, echo] }), text);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\n\r\n\\{"error":"[^"]+"\\}\n$`));
});

it("refuses a request without a host", async () => {
  expect(await raw(await serve(), "GET /big HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
});

it("takes no more of a body than it is willing to throw away", async () => {
  const { promise } = Promise.withResolvers<never>();
  const port = await serve({ endpoints: [{ ...echo, answer: () => promise }] });
  const head = "POST /post HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\n";
  expect(await raw(port, head + "x".repeat(200_000))).toBe("");
});

it("does not wait for a body that it ignores", async () => {
  const port = await serve({ endpoints: [echo] });
  const head = "POST /post HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n";
  expect(await raw(port, `${head}abc`)).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*done$/);
});

it("serves others while connections that say nothing are held open", async () => {
  const port = await serve({ endpoints: [echo] });
  const idle = Array.from({ length: 50 }, () => connect(port, "127.0.0.1"));
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  const answer = await raw(port, "POST /post HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  for (const socket of idle) socket.destroy();
});
