import { describe, expect, it } from "vitest";
import { failoverTransport } from "../../src/apisix/failover-transport.ts";
import { NotSent } from "../../src/apisix/not-sent.ts";
import type { AdminRequest, AdminResponse, AdminTransport } from "../../src/apisix/transport.ts";
import { TranslatorError } from "../../src/errors.ts";
import { silentLog, type LogFields } from "../../src/runtime.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

/** `amiss`: answered, and judged to be of no use. `unjudged`: answered, and nobody says anything of it. */
type End = "ok" | "amiss" | "unjudged" | "not sent" | "in doubt" | "called off";

const get: AdminRequest = { method: "GET", path: "/apisix/admin/routes", timeout: 1000 };
const put: AdminRequest = { ...get, method: "PUT", body: "{}" };

function errorOf(end: End): TranslatorError {
  if (end === "called off") return new TranslatorError("ABORTED", "called off");
  const cause = end === "not sent" ? new NotSent(new Error("ECONNREFUSED")) : new Error("reset");
  return new TranslatorError("ADMIN_CONNECTION", end, { cause });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** As many URLs as `ends`, each answering as its entry says now; `takes` ms each. */
function urls(ends: End[], takes = 0) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const timeouts: number[] = [];
  const warnings: LogFields[] = [];
  const transport = (index: number): AdminTransport => {
    return async (request): Promise<AdminResponse> => {
      asked.push(`${request.method} ${index}`);
      timeouts.push(request.timeout);
      if (takes > 0) await clock.advance(takes);
      const end = ends[index] ?? "ok";
      if (!["ok", "amiss", "unjudged"].includes(end)) throw errorOf(end);
      return { status: 200, contentType: "application/json", server: end, body: nothing() };
    };
  };
  const log = { ...silentLog, warn: (fields: LogFields) => void warnings.push(fields) };
  const send = failoverTransport(
    ends.map((_, index) => ({ url: `http://u${index}`, send: transport(index) })),
    { clock, log },
  );
  const resultOf = (request: AdminRequest): Promise<number | TranslatorError> =>
    send(request).then(
      ({ status, server, judged }) => {
        if (server !== "unjudged") judged?.(server === "amiss" ? "no Admin API" : undefined);
        return status;
      },
      (error: unknown) => error as TranslatorError,
    );
  return { ends, asked, timeouts, warnings, send, resultOf };
}

describe("failoverTransport", () => {
  it("sends elsewhere what was not sent, and stays with the one that answers", async () => {
    const { asked, ends, resultOf, warnings } = urls(["not sent", "not sent", "ok"]);
    expect(await resultOf(put)).toBe(200);
    expect(await resultOf(put)).toBe(200);
    ends[0] = "ok";
    expect(await resultOf(get)).toBe(200);
    expect(asked).toEqual(["PUT 0", "PUT 1", "PUT 2", "PUT 2", "GET 2"]);
    expect(warnings).toMatchObject([{ from: "http://u0", to: "http://u2", reason: "not sent" }]);
  });

  it.each(["PUT", "DELETE"] as const)(
    "never repeats elsewhere a %s that may have been sent; the next request goes elsewhere",
    async (method) => {
      const { asked, resultOf } = urls(["in doubt", "ok"]);
      const error = await resultOf({ ...put, method });
      expect(error).toMatchObject({ code: "ADMIN_CONNECTION", message: "in doubt" });
      expect((error as TranslatorError).cause).not.toBeInstanceOf(NotSent);
      expect(await resultOf({ ...put, method })).toBe(200);
      expect(asked).toEqual([`${method} 0`, `${method} 1`]);
    },
  );

  it("leaves in doubt what was not sent to one URL and perhaps to the next", async () => {
    const { asked, resultOf } = urls(["not sent", "in doubt", "ok"]);
    const error = (await resultOf(put)) as TranslatorError;
    expect(asked).toEqual(["PUT 0", "PUT 1"]);
    expect(error.cause).not.toBeInstanceOf(NotSent);
    expect(error.message).toContain("http://u0: not sent; http://u1: in doubt");
  });

  it("repeats a read that ended in doubt", async () => {
    const { asked, resultOf } = urls(["in doubt", "ok"]);
    expect(await resultOf(get)).toBe(200);
    expect(asked).toEqual(["GET 0", "GET 1"]);
  });

  it("says of a request that reached no URL that it was not sent, once each was tried", async () => {
    const { asked, resultOf } = urls(["not sent", "not sent"]);
    const error = (await resultOf(put)) as TranslatorError;
    expect(error).toMatchObject({ code: "ADMIN_CONNECTION", cause: expect.any(NotSent) as unknown });
    expect(asked).toEqual(["PUT 0", "PUT 1"]);
  });

  it("gives all attempts together no more time than the request has", async () => {
    const { timeouts, resultOf } = urls(["not sent", "not sent", "ok"], 400);
    expect(await resultOf(put)).toBe(200);
    expect(timeouts).toEqual([1000, 600, 200]);
    const slow = urls(["not sent", "ok"], 900);
    expect(await slow.resultOf(put)).toMatchObject({ code: "ADMIN_CONNECTION" });
    expect(slow.asked).toEqual(["PUT 0"]);
    expect(await slow.resultOf(put)).toBe(200);
  });

  it("hands on an answer that was judged to be of no use, and asks another URL the next time", async () => {
    const { asked, resultOf, warnings } = urls(["amiss", "ok"]);
    expect(await resultOf(put)).toBe(200);
    expect(await resultOf(put)).toBe(200);
    expect(await resultOf(put)).toBe(200);
    expect(asked).toEqual(["PUT 0", "PUT 1", "PUT 1"]);
    expect(warnings).toMatchObject([{ from: "http://u0", to: "http://u1", reason: "no Admin API" }]);
  });

  it("comes back to a URL that is well again from others that are of no use, and says nothing: it was never left for good", async () => {
    const { asked, ends, resultOf, warnings } = urls(["ok", "amiss", "amiss"]);
    await resultOf(put);
    ends[0] = "amiss";
    await resultOf(put);
    ends[0] = "ok";
    for (let request = 0; request < 4; request++) await resultOf(put);
    expect(asked).toEqual(["PUT 0", "PUT 0", "PUT 1", "PUT 2", "PUT 0", "PUT 0"]);
    expect(warnings).toEqual([]);
  });

  it("stays with a URL of whose answers nothing is said", async () => {
    const { asked, resultOf } = urls(["unjudged", "ok"]);
    await resultOf(put);
    await resultOf(put);
    expect(asked).toEqual(["PUT 0", "PUT 0"]);
  });

  it("is turned away from a URL once, however many answers of it are judged, and however late", async () => {
    const { asked, resultOf, send } = urls(["amiss", "ok", "ok"]);
    const late = await send(put);
    await Promise.all([resultOf(put), resultOf(put), resultOf(put)]);
    await resultOf(put);
    late.judged?.("no Admin API");
    await resultOf(put);
    expect(asked.slice(4)).toEqual(["PUT 1", "PUT 1"]);
  });

  it("goes nowhere else with what was called off", async () => {
    const { asked, resultOf } = urls(["called off", "ok"]);
    expect(await resultOf(get)).toMatchObject({ code: "ABORTED" });
    expect(asked).toEqual(["GET 0"]);
  });

  it("is turned away from a dead URL once, however many requests find it dead", async () => {
    const { asked, resultOf } = urls(["not sent", "ok", "ok"]);
    const ends = await Promise.all([resultOf(put), resultOf(put), resultOf(put)]);
    expect(ends).toEqual([200, 200, 200]);
    expect(asked.filter((each) => each === "PUT 1")).toHaveLength(3);
    expect(await resultOf(put)).toBe(200);
    expect(asked.at(-1)).toBe("PUT 1");
  });
});
