import { afterEach, describe, expect, it } from "vitest";
import { HttpServer } from "../../src/observe/http-server.ts";
import type { HttpServerParts } from "../../src/observe/http-server.ts";
import type { ExplainedDeclaration } from "../../src/observe/explanation.ts";
import type { Observed, Role } from "../../src/observe/observed.ts";
import type { LogFields } from "../../src/runtime.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";
import { observed, raw, start } from "./http-harness.ts";
import type { Running } from "./http-harness.ts";

const running: Running[] = [];

async function serve(over: Partial<Observed> = {}, parts: Partial<HttpServerParts> = {}): Promise<Running> {
  const started = await start(over, parts);
  running.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(({ server }) => server.stop()));
});

async function json(response: Response): Promise<unknown> {
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return response.json();
}

const post = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { method: "POST", ...init });

const declaration: ExplainedDeclaration = {
  ...{ cluster: "east", kind: "pod", namespace: "shop", name: "web-1", route: "web", state: "Routed" },
  ...{ reason: "r", hosts: ["a"], uris: ["/*"], id: "t-1", nodes: 1, lastWrite: null },
};

describe("observe.listen", () => {
  it("says that it lives", async () => {
    const { read } = await serve();
    const response = await fetch(`${read}/livez`);
    expect([response.status, await response.text()]).toEqual([200, "ok\n"]);
  });

  it("says whether it is ready, and what it waits for", async () => {
    let ready = false;
    const body = { role: "starting" as const, waitingFor: ["APISIX"], degraded: ["east/pods: refused"] };
    const { read } = await serve({ ready: () => ({ ready, ...body }) });
    const before = await fetch(`${read}/readyz`);
    expect([before.status, await json(before)]).toEqual([503, { ready: false, ...body }]);
    ready = true;
    expect((await fetch(`${read}/readyz`)).status).toBe(200);
  });

  it("tells status and metrics", async () => {
    const { read } = await serve();
    expect(await json(await fetch(`${read}/status`))).toMatchObject({
      role: "leader",
      gateway: { state: "up" },
    });
    const metrics = await fetch(`${read}/metrics`);
    expect(metrics.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await metrics.text()).toBe("# HELP x y\n");
  });

  it("explains a target, percent-encoded", async () => {
    const asked: unknown[] = [];
    const { read } = await serve({
      explain: (target) => {
        asked.push(target);
        return Promise.resolve({ declarations: [declaration], foreign: [] });
      },
    });
    const response = await fetch(`${read}/explain?target=${encodeURIComponent("a.example.com/x?y&z")}`);
    expect(await json(response)).toEqual({ declarations: [declaration], foreign: [] });
    expect(asked).toEqual([{ kind: "pair", host: "a.example.com", uri: "/x?y&z" }]);
  });

  it.each([
    "/explain",
    "/explain?target=",
    "/explain?target=a&target=b",
    "/explain?target=http://x",
    "/explain?target=%ff%00",
  ])("refuses %s with a sentence", async (path) => {
    const { read } = await serve();
    const response = await fetch(`${read}${path}`);
    expect(response.status).toBe(400);
    expect(await json(response)).toEqual({ error: expect.stringMatching(/target/) });
  });

  it.each<[Role, string | undefined, unknown]>([
    ["standby", "10.0.0.1:8080", { error: expect.any(String), leader: "10.0.0.1:8080" }],
    ["standby", undefined, { error: expect.any(String) }],
    ["stopping", undefined, { error: expect.any(String) }],
  ])("explains nothing while %s, and names the leader %s", async (role, leader, body) => {
    const { read } = await serve({ role: () => role, leader: () => leader });
    const response = await fetch(`${read}/explain?target=a.example.com`);
    expect([response.status, await json(response)]).toEqual([503, body]);
  });

  it("does not call unknown, while it starts, what it has not seen yet", async () => {
    let role: Role = "starting";
    const { read } = await serve({ role: () => role });
    expect((await fetch(`${read}/explain?target=a.example.com`)).status).toBe(503);
    role = "leader";
    const after = await fetch(`${read}/explain?target=a.example.com`);
    expect([after.status, await json(after)]).toEqual([200, { declarations: [], foreign: [] }]);
  });

  it("looks for one at a time: a question that fails lets the next one have its turn", async () => {
    let asking = 0;
    let most = 0;
    const explain = async (): Promise<never> => {
      most = Math.max(most, ++asking);
      await new Promise((resolve) => void setImmediate(resolve));
      asking--;
      throw new Error("a fault");
    };
    const { read } = await serve({ explain });
    const asked = Array.from({ length: 4 }, () => fetch(`${read}/explain?target=a.example.com`));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([500, 500, 500, 500]);
    expect(most).toBe(1);
  });

  it("lets as many wait, and no more", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { read } = await serve({ explain: () => promise.then(() => ({ declarations: [], foreign: [] })) });
    const url = `${read}/explain?target=a.example.com`;
    let refused = 0;
    const asked = Array.from({ length: 40 }, async () => {
      const { status } = await fetch(url);
      if (status === 429) refused++;
      // The others are answered once all that are too many have been refused.
      if (refused === 24) resolve();
      return status;
    });
    expect((await Promise.all(asked)).filter((status) => status === 200)).toHaveLength(16);
    expect((await fetch(url)).status).toBe(200);
  });

  it.each([
    "/",
    "/livez/",
    "/LIVEZ",
    "//livez",
    "/./livez",
    "/%6civez",
    "/status/../livez",
    "/livez%00",
    "/livez%2f",
    "/..%2flivez",
    "/livez;x",
    "/livez#x",
    "http://x/livez",
    "/debug/heap",
    "/pause",
  ])("has no path %s", async (path) => {
    const { readPort } = await serve();
    const answer = await raw(readPort, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).toContain('{"error":');
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("only reads: %s is refused", async (method) => {
    const approved: string[] = [];
    const { read } = await serve({ approve: (batch) => approved.push(batch) });
    const response = await fetch(`${read}/status`, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await fetch(`${read}/guard/approve?batch=b-1`, { method })).status).toBe(404);
    expect(approved).toEqual([]);
  });

  it("answers HEAD without a body", async () => {
    const { readPort } = await serve();
    const answer = await raw(readPort, "HEAD /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/content-length: 3\r\n/);
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  it("keeps a fault to itself: the log has it, the answer does not", async () => {
    const logged: LogFields[] = [];
    const log = { ...silentLog, error: (fields: LogFields) => void logged.push(fields) };
    const status = (): Promise<never> => Promise.reject(new Error("secret detail"));
    const { read } = await serve({ status }, { log });
    const response = await fetch(`${read}/status`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain("secret detail");
    expect(logged).toEqual([
      { path: "/status", error: new Error("secret detail"), advice: expect.any(String) },
    ]);
  });
});

describe("observe.admin", () => {
  it("approves the batch that was shown, and no other", async () => {
    const { admin } = await serve({ approve: (batch) => (batch === "b1-2" ? 7 : undefined) });
    const approved = await post(`${admin}/guard/approve?batch=b1-2`);
    expect([approved.status, await json(approved)]).toEqual([200, { released: 7 }]);
    const unknown = await post(`${admin}/guard/approve?batch=b1-3`);
    expect([unknown.status, await json(unknown)]).toEqual([404, { error: expect.any(String) }]);
    for (const query of ["", "?batch=", "?batch=b1-2&batch=b1-3"])
      expect((await post(`${admin}/guard/approve${query}`)).status).toBe(400);
  });

  it("answers an audit when it is over", async () => {
    const { promise, resolve } = Promise.withResolvers<{ ok: boolean; drifted: number }>();
    const { admin } = await serve({ audit: () => promise });
    const asked = post(`${admin}/audit`, { body: "ignored" });
    resolve({ ok: true, drifted: 3 });
    const response = await asked;
    expect([response.status, await json(response)]).toEqual([200, { ok: true, drifted: 3 }]);
  });

  it("says that an audit could not be done", async () => {
    const report = { ok: false, drifted: 0, reason: "APISIX does not answer" };
    const { admin } = await serve({ audit: () => Promise.resolve(report) });
    const response = await post(`${admin}/audit`);
    expect([response.status, await json(response)]).toEqual([502, report]);
  });

  it("pauses and resumes, and answers once it is so", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const { admin } = await serve({
      pause: () => {
        asked.push("pause");
        return promise;
      },
      resume: () => void asked.push("resume"),
    });
    const pausing = post(`${admin}/pause`);
    resolve();
    expect(await json(await pausing)).toEqual({ paused: true });
    expect(await json(await post(`${admin}/resume`))).toEqual({ paused: false });
    expect((await fetch(`${admin}/pause`)).status).toBe(405);
    expect(asked).toEqual(["pause", "resume"]);
  });

  it.each(["/guard/approve?batch=b", "/audit", "/pause", "/resume", "/accept?cluster=a", "/purge?cluster=a"])(
    "leaves %s to the leader",
    async (path) => {
      const { admin } = await serve({
        role: () => "standby",
        leader: () => "10.0.0.1:8080",
        approve: () => 1,
      });
      const response = await post(`${admin}${path}`);
      expect([response.status, await json(response)]).toEqual([
        503,
        { error: expect.any(String), leader: "10.0.0.1:8080" },
      ]);
    },
  );

  it.each([
    ["/accept", { cluster: "east", uid: "u-2", was: "u-1", relabelled: 3 }],
    ["/purge", { cluster: "east", groups: 2, left: 0 }],
  ])("%s is about one cluster, and says what was done", async (path, told) => {
    const { admin } = await serve();
    const response = await post(`${admin}${path}?cluster=east`);
    expect([response.status, await json(response)]).toEqual([200, told]);
    for (const wrong of ["", "?cluster=", "?cluster=a&cluster=b", "?cluster=../x"])
      expect((await post(`${admin}${path}${wrong}`)).status).toBe(400);
    expect((await fetch(`${admin}${path}?cluster=east`)).status).toBe(405);
  });

  it("what cannot be accepted or purged is answered with why", async () => {
    const why = { ok: false, status: 409, error: "it is seen" } as const;
    const { admin } = await serve({ purge: () => Promise.resolve(why) });
    const response = await post(`${admin}/purge?cluster=east`);
    expect([response.status, await json(response)]).toEqual([409, { error: "it is seen" }]);
  });

  it("lists, where a path is wrong, what works", async () => {
    const { admin } = await serve();
    expect(await json(await post(`${admin}/aproove`))).toEqual({
      error:
        "there is no such path; there are POST /guard/approve, POST /audit, POST /pause, POST /resume, POST /accept, POST /purge, GET /debug/heap",
    });
  });

  it("tells the sizes of its memory, and changes nothing by GET", async () => {
    const approved: string[] = [];
    const { admin } = await serve({ approve: (batch) => approved.push(batch) });
    const heap = await fetch(`${admin}/debug/heap`);
    expect(await json(heap)).toMatchObject({
      memory: { rss: expect.any(Number) },
      heap: { heap_size_limit: expect.any(Number) },
    });
    expect((await fetch(`${admin}/guard/approve?batch=b`)).status).toBe(405);
    expect(approved).toEqual([]);
  });

  it.each([
    { origin: "http://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:8081" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-origin" },
  ])("refuses what a page in a browser sends: %o", async (headers) => {
    const approved: string[] = [];
    const { server, admin } = await serve({ approve: (batch) => approved.push(batch) });
    expect(server).toBeDefined();
    const port = Number(new URL(admin).port);
    const lines = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    const head = `host: x\r\ncontent-length: 0\r\nconnection: close\r\n${lines}\r\n`;
    expect(await raw(port, `POST /guard/approve?batch=b HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw(port, `GET /debug/heap HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1\.1 403 /);
    expect(approved).toEqual([]);
  });
});

describe("HttpServer", () => {
  it("says which address it cannot listen on, and holds neither", async () => {
    const anyPort = { host: "127.0.0.1", port: 0 };
    const parts = { clock: systemClock, log: silentLog, observed: observed() };
    const { server, read } = await serve();
    const taken = { host: "127.0.0.1", port: Number(new URL(read).port) };
    await expect(new HttpServer({ ...parts, listen: taken, admin: anyPort }).start()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "observe.listen cannot be listened on",
      problems: [
        expect.stringMatching(
          /^observe\.listen: 127\.0\.0\.1:\d+ is taken; choose another with --observe\.listen$/,
        ),
      ],
    });
    await server.stop();
    await expect(new HttpServer({ ...parts, listen: taken, admin: taken }).start()).rejects.toMatchObject({
      problems: [expect.stringMatching(/^observe\.admin: /)],
    });
    await expect(fetch(`${read}/livez`)).rejects.toThrow();
  });

  it("stops although a client keeps its connection, and may be stopped twice", async () => {
    const { server, read } = await serve();
    await (await fetch(`${read}/livez`)).text();
    await server.stop();
    await server.stop();
    await expect(fetch(`${read}/livez`)).rejects.toThrow();
  });
});
