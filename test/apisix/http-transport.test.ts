import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { AdminClient } from "../../src/apisix/admin-client.ts";
import { createHttpTransport } from "../../src/apisix/http-transport.ts";
import { NotSent } from "../../src/apisix/not-sent.ts";
import { systemClock } from "../../src/runtime.ts";
import { get, listen, textOf, transportTo, until } from "./http-transport-under-test.ts";

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
    onTestFinished(() => transport.close());
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
