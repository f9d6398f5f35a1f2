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
  ["two hosts", "GET /big HTTP/1.1\r\nhost: x\r\nhost: x\r\nconnection: close\r\n\r\n", 400],
  ["an unknown transfer encoding", "POST /post HTTP/1.1\r\nhost: x\r\ntransfer-encoding: x\r\n\r\n", 400],
  ["a folded header", "GET /big HTTP/1.1\r\nhost: x\r\n y: z\r\n\r\n", 400],
  ["a space before a colon", "GET /big HTTP/1.1\r\nhost : x\r\n\r\n", 400],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  [
    "length and chunks",
    "POST /post HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
])("refuses %s and closes", async (_what, text, status) => {
  const answer = await raw(await serve({ endpoints: [big, echo] }), text);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\n\r\n\\{"error":"[^"]+"\\}\n$`));
});

it("closes on CONNECT, and takes no other protocol for what comes after", async () => {
  const port = await serve({ endpoints: [echo] });
  expect(await raw(port, "CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n")).toBe("");
  const upgrade = "POST /post HTTP/1.1\r\nhost: x\r\nupgrade: h2c\r\nconnection: close, upgrade\r\n\r\n";
  const answer = await raw(port, upgrade);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*done$/i);
});

it("answers HTTP/1.0 and pipelined requests, each once and in order", async () => {
  const port = await serve({ endpoints: [echo, { ...echo, path: "/second" }] });
  expect(await raw(port, "POST /post HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 [^]*done$/);
  const ask = (path: string, more = ""): string => `POST ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const answer = await raw(port, ask("/post") + ask("/none") + ask("/second", "connection: close\r\n"));
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 200"]);
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

it("refuses what is asked beyond its rate, wrong paths too, and answers probes all the same", async () => {
  const clock = new VirtualClock();
  const probe = { ...echo, method: "GET" as const, path: "/probe", isProbe: true };
  const port = await serve({ clock, endpoints: [echo, probe] });
  const flood = async (line: string): Promise<readonly string[]> => {
    const last = "GET /probe HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    const answer = await raw(port, `${line} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(150) + last);
    return answer.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
  };
  const count = (statuses: readonly string[], status: string): number =>
    statuses.filter((each) => each === status).length;
  const answered = await flood("POST /post");
  expect([answered.length, count(answered, "200")]).toEqual([151, 151]);
  const wrong = await flood("GET /wrong");
  expect([count(wrong, "404"), count(wrong, "429"), wrong.at(-1)]).toEqual([50, 100, "200"]);
  await clock.advance(1000);
  expect(count(await flood("POST /post"), "200")).toBe(101);
  const refusal = await raw(port, "POST /post HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  expect(refusal).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1\r\n/i);
});

it("cuts off the oldest answers that nobody takes, before they fill the memory", async () => {
  const text = "x".repeat(15 * 2 ** 20);
  const large = { ...big, answer: () => ({ status: 200, type: "text/plain", text }) };
  const port = await serve({ endpoints: [large], clock: new VirtualClock() });
  const slow = Array.from({ length: 3 }, () => connect(port, "127.0.0.1"));
  const closed = slow.map(
    (socket) => new Promise<void>((resolve) => void socket.once("close", () => resolve())),
  );
  for (const socket of slow) {
    socket.on("error", () => socket.destroy());
    socket.write("GET /big HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    await new Promise((resolve) => socket.once("readable", resolve));
  }
  for (const socket of slow) socket.resume();
  await Promise.all(closed);
  const whole = slow.map(({ bytesRead }) => bytesRead > text.length);
  expect(whole).toEqual([false, true, true]);
});

it("serves others although as many connections as it takes are held open", async () => {
  const port = await serve({ endpoints: [echo] });
  const idle = Array.from({ length: 150 }, () => connect(port, "127.0.0.1").resume());
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  const answer = await raw(port, "POST /post HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  await expect.poll(() => idle.filter((socket) => socket.closed).length).toBe(150 + 1 - 128);
  for (const socket of idle) socket.destroy();
});
