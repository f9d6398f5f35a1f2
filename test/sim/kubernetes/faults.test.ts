import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  proxyFault,
  redirectFault,
  statusFault,
  wrongListFault,
  wrongLists,
} from "../../../src/sim/kubernetes/faults.ts";
import { createPods, get, getJson, harnesses, openWatch, send, type Harness } from "./harness.ts";

describe.each(harnesses)("faults over %s", (_transport, openHarness) => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness({});
    createPods(harness, 6);
  });
  afterEach(() => harness.close());

  it("refuse connections while stopped, break open watches, and serve again after start", async () => {
    const watch = await openWatch(harness, `resourceVersion=${harness.cluster.store.revision}`);
    await harness.stop();
    expect(harness.cluster.traffic.openWatches()).toEqual([]);
    await expect(watch.next()).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
    await expect(get(harness, "/readyz")).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
    harness.cluster.store.remove("pods", "shop/web-000");
    await harness.start();
    expect((await getJson(harness, "/api/v1/pods"))["items"]).toHaveLength(5);
  });

  it("fail one page of a list with a status, once", async () => {
    const { faults } = harness.cluster;
    faults.onRequest({ resource: "pods", verb: "list", page: 2 }, statusFault(500), { times: 1 });
    const first = await getJson(harness, "/api/v1/pods?limit=2");
    const second = `/api/v1/pods?limit=2&continue=${String(first["metadata"]?.["continue"])}`;
    const failed = await get(harness, second);
    expect([failed.status, JSON.parse(failed.text)]).toMatchObject([500, { reason: "InternalError" }]);
    expect((await get(harness, second)).status).toBe(200);
  });

  it("answer 429 with Retry-After, for the kind that was named only", async () => {
    const end = harness.cluster.faults.onRequest({ resource: "pods" }, statusFault(429, 7));
    expect(await get(harness, "/api/v1/pods")).toMatchObject({ status: 429, retryAfter: 7000 });
    expect((await get(harness, "/api/v1/services")).status).toBe(200);
    end();
    expect((await get(harness, "/api/v1/pods")).status).toBe(200);
  });

  it("answer a proxy's HTML, also with 200, and redirects", async () => {
    harness.cluster.faults.onRequest({ resource: "pods" }, proxyFault(200));
    const page = await get(harness, "/api/v1/pods");
    expect([page.status, page.contentType]).toEqual([200, "text/html"]);
    harness.cluster.faults.clear();
    harness.cluster.faults.onRequest({}, redirectFault("https://login.example.com/"));
    expect((await get(harness, "/version")).status).toBe(302);
  });

  it("answer lists of wrong types that are JSON all the same", async () => {
    for (const wrong of Object.keys(wrongLists) as (keyof typeof wrongLists)[]) {
      harness.cluster.faults.onRequest({ resource: "pods" }, wrongListFault("pods", wrong), { times: 1 });
      const answer = await get(harness, "/api/v1/pods");
      expect([answer.status, answer.contentType]).toEqual([200, "application/json"]);
      expect(JSON.parse(answer.text)).toMatchObject({ apiVersion: "v1" });
    }
  });

  it("cut a body off: cleanly, or with the connection", async () => {
    const { faults } = harness.cluster;
    faults.onRequest({ verb: "list" }, { type: "truncate", bytes: 100, clean: true }, { times: 1 });
    expect((await get(harness, "/api/v1/pods")).text).toHaveLength(100);
    faults.onRequest({ verb: "list" }, { type: "truncate", bytes: 100, clean: false }, { times: 1 });
    await expect(get(harness, "/api/v1/pods")).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
    faults.onRequest({ verb: "get" }, { type: "truncate", bytes: 10, clean: true }, { times: 1 });
    expect((await get(harness, "/api/v1/namespaces/kube-system")).text).toHaveLength(10);
  });

  it("send a body without end until the reader gives up", async () => {
    harness.cluster.faults.onRequest({ verb: "list" }, { type: "endless" });
    const abort = new AbortController();
    const response = await send(harness, "/api/v1/pods", { signal: abort.signal });
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of response.body) {
        bytes += chunk.byteLength;
        if (bytes > 1_000_000) abort.abort();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("hang: accepted, never answered", async () => {
    const { faults, traffic } = harness.cluster;
    const end = faults.onRequest({ resource: "pods" }, { type: "hang" });
    const abort = new AbortController();
    const hung = send(harness, "/api/v1/pods", { signal: abort.signal });
    await traffic.until(() => traffic.requests.some((request) => request.resource === "pods"));
    end();
    harness.clock.advance(3_600_000);
    expect((await get(harness, "/api/v1/pods")).status).toBe(200);
    abort.abort();
    await expect(hung).rejects.toMatchObject({ code: "ABORTED" });
  });

  it("break the connection before any answer", async () => {
    harness.cluster.faults.onRequest({ resource: "pods" }, { type: "reset" });
    await expect(get(harness, "/api/v1/pods")).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
  });

  it("answer late by the clock, and add up", async () => {
    const { faults, traffic } = harness.cluster;
    faults.onRequest({ resource: "pods" }, { type: "slow", ms: 400 });
    faults.onRequest({ verb: "list" }, { type: "slow", ms: 100 });
    let answered = false;
    const slow = get(harness, "/api/v1/pods").then((answer) => {
      answered = true;
      return answer;
    });
    await traffic.until(() => traffic.requestCount === 1);
    harness.clock.advance(499);
    await get(harness, "/readyz");
    expect(answered).toBe(false);
    harness.clock.advance(1);
    expect((await slow).status).toBe(200);
  });

  it("half-open: a watch falls silent without end, and ending the fault does not mend it", async () => {
    const { faults, store } = harness.cluster;
    const from = `resourceVersion=${store.revision}&allowWatchBookmarks=true&timeoutSeconds=300`;
    const dead = await openWatch(harness, from);
    const end = faults.onFrame({}, { type: "silence" });
    store.bumpNoise("pods", "shop/web-000");
    end();
    const live = await openWatch(harness, `resourceVersion=${store.revision}`);
    let heard = false;
    const nothing = dead.next().then(
      () => (heard = true),
      () => undefined,
    );
    store.bumpNoise("pods", "shop/web-001");
    harness.clock.advance(600_000);
    expect(await live.take(1)).toEqual([`MODIFIED web-001@${store.revision}`]);
    expect(heard).toBe(false);
    await harness.stop();
    await nothing;
  });

  it("cut a watch in the middle of a line", async () => {
    const watch = await openWatch(harness, `resourceVersion=${harness.cluster.store.revision}`);
    harness.cluster.faults.onFrame({ resource: "pods" }, { type: "cut" });
    harness.cluster.store.bumpNoise("pods", "shop/web-000");
    await expect(watch.next()).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
    expect(watch.rest).toMatch(/^\{"type":"MODIFIED","object":\{/);
  });

  it("lose, duplicate, garble single events, and end in an ERROR event", async () => {
    const { faults, store } = harness.cluster;
    const watch = await openWatch(harness, `resourceVersion=${store.revision}`);
    const from = store.revision;
    for (const type of ["lose", "duplicate"] as const) {
      faults.onFrame({ resource: "pods" }, { type }, { times: 1 });
      store.bumpNoise("pods", "shop/web-000");
    }
    const again = `MODIFIED web-000@${from + 2}`;
    expect(await watch.take(2)).toEqual([again, again]);
    faults.onFrame({ resource: "pods" }, { type: "text", text: '{"type":"ADDED"}\n' }, { times: 1 });
    store.bumpNoise("pods", "shop/web-000");
    expect(await watch.next()).toEqual({ type: "ADDED" });
    faults.onFrame({ resource: "pods" }, { type: "error", code: 500 });
    store.bumpNoise("pods", "shop/web-000");
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 500 } });
    expect(await watch.next()).toBeUndefined();
  });

  it("strike with chance, from the random that was passed", async () => {
    harness.cluster.faults.onRequest({ resource: "pods" }, statusFault(503), { chance: 0.5 });
    expect((await get(harness, "/api/v1/pods")).status).toBe(200);
    harness.cluster.faults.clear();
    harness.cluster.faults.onRequest({ resource: "pods" }, statusFault(503), { chance: 0.51 });
    expect((await get(harness, "/api/v1/pods")).status).toBe(503);
  });
});
