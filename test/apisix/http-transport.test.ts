import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { BodyQueue } from "../../src/body-queue.ts";
import { AdminClient } from "../../src/apisix/admin-client.ts";
import { createHttpTransport, type HttpTransport } from "../../src/apisix/http-transport.ts";
import { NotSent } from "../../src/apisix/not-sent.ts";
import type { AdminRequest, AdminResponse } from "../../src/apisix/transport.ts";
import { systemClock, type Clock } from "../../src/runtime.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]();
});

async function listen(handler: Handler): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAlive: true }, handler);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  open.push({
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

function transportTo(adminUrl: string, options: { connections?: number; clock?: Clock } = {}): HttpTransport {
  const { connections = 4, clock = systemClock } = options;
  const transport = createHttpTransport({
    adminUrl,
    adminKey: () => "s3cret/key",
    connections,
    connectTimeout: 60_000,
    clock,
  });
  open.push({ [Symbol.asyncDispose]: () => transport.close() });
  return transport;
}

const get: AdminRequest = { method: "GET", path: "/apisix/admin/routes", timeout: 60_000 };

async function textOf(response: AdminResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

it("an error that repeats the admin key is told without it", async () => {
  const { url } = await listen(({ headers }, response) => {
    const text = JSON.stringify({ error_msg: `not with the key ${String(headers["x-api-key"])}` });
    response.writeHead(400, { "content-type": "application/json" }).end(text.replaceAll("/", "\\/"));
  });
  const client = new AdminClient({ transport: transportTo(url).send, timeout: 60_000 });
  const id = `t-${"0".repeat(40)}`;
  expect(await client.put("route", id, "{}")).toEqual({
    ...{ type: "refused", status: 400, message: "not with the key [secret]" },
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn();
}

describe("createHttpTransport", () => {
  it("sends method, path, key and body, and gives status, headers and body", async () => {
    const seen: unknown[] = [];
    const { url } = await listen((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
      request.on("end", () => {
        const { "x-api-key": key, "content-type": type } = request.headers;
        seen.push([request.method, request.url, key, type, body]);
        response.writeHead(201, { "content-type": "Application/JSON", server: "APISIX/3.18.0" });
        response.end('{"é":1}');
      });
    });
    const { send } = transportTo(`${url}/behind/a/proxy/`);
    const response = await send({
      method: "PUT",
      path: "/apisix/admin/routes/t-1",
      body: '{"a":"é"}',
      timeout: 60_000,
    });
    expect(response).toMatchObject({ status: 201, contentType: "application/json", server: "APISIX/3.18.0" });
    expect(await textOf(response)).toBe('{"é":1}');
    expect(await textOf(await send(get))).toBe('{"é":1}');
    expect(seen).toEqual([
      ["PUT", "/behind/a/proxy/apisix/admin/routes/t-1", "s3cret/key", "application/json", '{"a":"é"}'],
      ["GET", "/behind/a/proxy/apisix/admin/routes", "s3cret/key", undefined, ""],
    ]);
  });

  it("reuses connections, and opens no more than it may", async () => {
    let inFlight = 0;
    let most = 0;
    const { url, sockets } = await listen((_, response) => {
      most = Math.max(most, ++inFlight);
      setImmediate(() => {
        inFlight--;
        response.end("{}");
      });
    });
    const { send } = transportTo(url, { connections: 3 });
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 20 }, async () => textOf(await send(get))));
    }
    expect(sockets.size).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
  });

  it("answers an error status as a response, and does not follow redirects", async () => {
    const { url } = await listen((request, response) => {
      if (request.url === "/apisix/admin/routes") response.writeHead(302, { location: "/elsewhere" });
      else response.writeHead(500);
      response.end();
    });
    const { send } = transportTo(url);
    expect(await send(get)).toMatchObject({ status: 302, contentType: "", server: "" });
  });

  it("says of a server that is not there that nothing was sent", async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => {
      closed.listen(0, "127.0.0.1", resolve);
    });
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => {
      closed.close(resolve);
    });
    const error: unknown = await transportTo(`http://127.0.0.1:${port}`)
      .send(get)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "ADMIN_CONNECTION", cause: expect.any(NotSent) as unknown });
    expect(JSON.stringify(error) + String(error)).not.toContain("s3cret");
  });

  it("says of a connection that is reset before the answer that the request may have been applied", async () => {
    const { url } = await listen((request) => request.socket.resetAndDestroy());
    const error: unknown = await transportTo(url)
      .send(get)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "ADMIN_CONNECTION" });
    expect(error).not.toHaveProperty("cause", expect.any(NotSent));
  });

  it("ends the body with an error when the connection breaks in it", async () => {
    const { url } = await listen((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => request.socket.resetAndDestroy());
    });
    const response = await transportTo(url).send(get);
    await expect(textOf(response)).rejects.toMatchObject({ code: "ADMIN_CONNECTION" });
  });

  it("gives a request up whose answer does not come in time", async () => {
    const clock = new VirtualClock();
    let arrived = false;
    const { url, sockets } = await listen(() => {
      arrived = true;
    });
    const { send } = transportTo(url, { clock });
    const answer = send({ ...get, timeout: 1000 }).catch((reason: unknown) => reason);
    await until(() => arrived);
    await clock.advance(1001);
    const error = await answer;
    expect(error).toMatchObject({ code: "ADMIN_CONNECTION" });
    expect(error).not.toHaveProperty("cause", expect.any(NotSent));
    await until(() => [...sockets].every((socket) => socket.destroyed));
  });

  it("never sends a request that was given up while it waited for a connection", async () => {
    const clock = new VirtualClock();
    const paths: unknown[] = [];
    const waiting: ServerResponse[] = [];
    const { url } = await listen((request, response) => {
      paths.push(request.url);
      waiting.push(response);
    });
    const { send } = transportTo(url, { connections: 1, clock });
    const first = send({ ...get, timeout: 10_000 });
    await until(() => waiting.length === 1);
    const second = send({ ...get, path: "/second", timeout: 1000 }).catch((reason: unknown) => reason);
    await clock.advance(1001);
    expect(await second).toMatchObject({ code: "ADMIN_CONNECTION", cause: expect.any(NotSent) as unknown });
    waiting[0]?.end("{}");
    await textOf(await first);
    const third = send({ ...get, path: "/third" });
    await until(() => waiting.length === 2);
    waiting[1]?.end("{}");
    await textOf(await third);
    expect(paths).toEqual(["/apisix/admin/routes", "/third"]);
  });

  it("calls a request off: before it starts, while it waits, while its body is read", async () => {
    const { url } = await listen((request, response) => {
      if (request.url === "/body") response.write("half");
    });
    const { send } = transportTo(url);
    await expect(send({ ...get, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
    const waiting = new AbortController();
    const answer = send({ ...get, signal: waiting.signal });
    waiting.abort();
    await expect(answer).rejects.toMatchObject({ code: "ABORTED" });
    const reading = new AbortController();
    const response = await send({ ...get, path: "/body", signal: reading.signal });
    const body = textOf(response);
    reading.abort();
    await expect(body).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("holds a large body back until it is read, and gives all of it", async () => {
    const chunk = Buffer.alloc(64 << 10, "x");
    let written = 0;
    const { url } = await listen((_, response) => {
      const pour = (): void => {
        while (written < 512) {
          written++;
          if (!response.write(chunk)) {
            response.once("drain", pour);
            return;
          }
        }
        response.end();
      };
      pour();
    });
    const response = await transportTo(url).send(get);
    let bytes = 0;
    let isFirst = true;
    for await (const piece of response.body) {
      bytes += piece.length;
      if (!isFirst) continue;
      isFirst = false;
      for (let i = 0; i < 200; i++) await turn();
      expect(written).toBeLessThan(512);
    }
    expect(bytes).toBe(512 * chunk.length);
  });

  it("ends a body that makes no progress, and waits for one that does or is not read", async () => {
    const clock = new VirtualClock();
    const waiting: ServerResponse[] = [];
    const { url } = await listen((_, response) => {
      waiting.push(response);
      response.write("x");
    });
    const { send } = transportTo(url, { clock });
    const { body } = await send({ ...get, timeout: 1000 });
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    for (let i = 0; i < 3; i++) {
      await clock.advance(900);
      waiting[0]?.write("y");
      expect(await reader.next()).toMatchObject({ done: false });
    }
    const large = Buffer.alloc(1 << 20);
    waiting[0]?.write(large);
    await until(() => body instanceof BodyQueue && body.isPaused);
    await clock.advance(5000);
    for (let bytes = 0; bytes < large.length;) bytes += ((await reader.next()).value as Uint8Array).length;
    const next = reader.next();
    const refused = expect(next).rejects.toMatchObject({ code: "ADMIN_CONNECTION" });
    await clock.advance(1001);
    await refused;
  });

  it("drops the connection of a body that is not read to its end, and goes on", async () => {
    const { url, sockets } = await listen((request, response) => {
      if (request.url === "/short") response.end("{}");
      else response.write("x".repeat(1000));
    });
    const { send } = transportTo(url, { connections: 1 });
    for await (const _ of (await send(get)).body) break;
    expect(await textOf(await send({ ...get, path: "/short" }))).toBe("{}");
    expect(sockets.size).toBe(2);
  });

  it("sends nothing whose time was over before its connection was there, though no timer has run", async () => {
    const seen: unknown[] = [];
    const { url } = await listen((request, response) => {
      seen.push(request.url);
      response.end("{}");
    });
    let now = 0;
    // As after SIGSTOP and SIGCONT: time has passed, sockets are served first.
    const frozen: Clock = { ...systemClock, now: () => now, after: () => () => {} };
    const { send } = transportTo(url, { clock: frozen });
    const late = send({ ...get, method: "DELETE", path: "/late" }).catch((reason: unknown) => reason);
    now = get.timeout;
    expect(await late).toMatchObject({ code: "ADMIN_CONNECTION", cause: expect.any(NotSent) as unknown });
    await textOf(await send(get));
    expect(seen).toEqual([get.path]);
  });

  it("takes the key anew for each request", async () => {
    const keys: unknown[] = [];
    const { url } = await listen((request, response) => {
      keys.push(request.headers["x-api-key"]);
      response.end("{}");
    });
    let key = "old";
    const transport = createHttpTransport({
      adminUrl: url,
      adminKey: () => key,
      connections: 1,
      connectTimeout: 60_000,
      clock: systemClock,
    });
    open.push({ [Symbol.asyncDispose]: () => transport.close() });
    await textOf(await transport.send(get));
    key = "new";
    await textOf(await transport.send(get));
    expect(keys).toEqual(["old", "new"]);
  });

  it("ends what is under way when it is closed", async () => {
    let arrived = false;
    const { url } = await listen(() => {
      arrived = true;
    });
    const transport = transportTo(url);
    const answer = transport.send(get).catch((reason: unknown) => reason);
    await until(() => arrived);
    await transport.close();
    expect(await answer).toMatchObject({ code: "ADMIN_CONNECTION" });
  });
});
