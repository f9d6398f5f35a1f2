import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { NotSent } from "../../src/apisix/not-sent.ts";
import { systemClock, type Clock } from "../../src/runtime.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { get, listen, textOf, transportTo, until } from "./http-transport-under-test.ts";

describe("createHttpTransport", () => {
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
});
