import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { BodyQueue } from "../../src/body-queue.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { get, listen, textOf, transportTo, until } from "./http-transport-under-test.ts";

describe("createHttpTransport", () => {
  it("ends the body with an error when the connection breaks in it", async () => {
    const { url } = await listen((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => request.socket.resetAndDestroy());
    });
    const response = await transportTo(url).send(get);
    await expect(textOf(response)).rejects.toMatchObject({ code: "ADMIN_CONNECTION" });
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
});
