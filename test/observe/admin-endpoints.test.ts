import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/observe/observed.ts";
import { raw } from "./http-harness.ts";
import { json, post, serve } from "./serve.ts";

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

  it.each(["/accept", "/purge"])(
    "%s is refused, and not begun, by an instance that is paused or a shadow, and told why",
    async (path) => {
      const begun: string[] = [];
      const decide = (cluster: string): Promise<Decision> => {
        begun.push(cluster);
        return Promise.resolve({ ok: true, cluster });
      };
      const readiness = { ready: true, role: "leader", waitingFor: [], degraded: [] } as const;
      for (const [how, word] of [
        [{ paused: true }, "POST /resume"],
        [{ shadow: true }, "run --shadow"],
      ] as const) {
        const { admin } = await serve({
          ...{ accept: decide, purge: decide, ready: () => ({ ...readiness, ...how }) },
        });
        const response = await post(`${admin}${path}?cluster=east`);
        const error = expect.stringContaining(word) as string;
        expect([response.status, await json(response)]).toEqual([409, { error }]);
      }
      expect(begun).toEqual([]);
    },
  );

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
