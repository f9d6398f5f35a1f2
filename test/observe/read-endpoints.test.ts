import { describe, expect, it } from "vitest";
import type { ExplainedDeclaration } from "../../src/observe/explanation.ts";
import type { Role } from "../../src/observe/observed.ts";
import type { LogFields } from "../../src/runtime.ts";
import { silentLog } from "../../src/runtime.ts";
import { raw } from "./http-harness.ts";
import { json, serve } from "./serve.ts";

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
