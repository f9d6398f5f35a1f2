import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withLabels } from "../../../src/sim/kubernetes/object-changes.ts";
import { pod, withReady } from "../../../src/sim/kubernetes/pod.ts";
import {
  createPods,
  get,
  harnesses,
  openWatch,
  send,
  WatchReader,
  type Harness,
  type Json,
} from "./harness.ts";

describe.each(harnesses)("watches over %s", (_transport, openHarness) => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness({ historyLength: 20 });
  });
  afterEach(() => harness.close());

  it("tell every change in order, each with its own resourceVersion", async () => {
    const { store } = harness.cluster;
    const from = store.revision;
    const watch = await openWatch(harness, `resourceVersion=${from}`);
    createPods(harness, 1);
    store.patch("pods", "shop/web-000", (object) => withReady(object, false));
    store.bumpNoise("pods", "shop/web-000");
    store.remove("pods", "shop/web-000");
    expect(await watch.take(4)).toEqual([
      `ADDED web-000@${from + 1}`,
      `MODIFIED web-000@${from + 2}`,
      `MODIFIED web-000@${from + 3}`,
      `DELETED web-000@${from + 4}`,
    ]);
  });

  it("carry whole objects with kind and apiVersion", async () => {
    const watch = await openWatch(harness, `resourceVersion=${harness.cluster.store.revision}`);
    createPods(harness, 1);
    const event = await watch.next();
    expect(event?.["object"]).toMatchObject({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { namespace: "shop" },
    });
    expect(Object.keys(event?.["object"] ?? {}).slice(0, 3)).toEqual(["kind", "apiVersion", "metadata"]);
  });

  it("resume after the resourceVersion that they name", async () => {
    const { store } = harness.cluster;
    createPods(harness, 2);
    const from = store.revision;
    store.bumpNoise("pods", "shop/web-001");
    store.create("nodes", { metadata: { name: "node-1" } });
    store.remove("pods", "shop/web-000");
    const watch = await openWatch(harness, `resourceVersion=${from}`);
    store.bumpNoise("pods", "shop/web-001");
    expect(await watch.take(3)).toEqual([
      `MODIFIED web-001@${from + 1}`,
      `DELETED web-000@${from + 3}`,
      `MODIFIED web-001@${from + 4}`,
    ]);
  });

  it("from too old a resourceVersion get 410 inside the stream, then its end", async () => {
    const { store } = harness.cluster;
    const from = store.revision;
    createPods(harness, 30);
    const response = await send(harness, `/api/v1/pods?watch=true&resourceVersion=${from}`);
    expect(response.status).toBe(200);
    const watch = new WatchReader(response);
    const event = await watch.next();
    expect(event).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });
    expect(String(event?.["object"]?.["message"])).toMatch(/^too old resource version: /);
    expect(await watch.next()).toBeUndefined();
  });

  it("show what leaves a selector as DELETED in its state before, what enters as ADDED", async () => {
    const { store } = harness.cluster;
    createPods(harness, 1);
    const from = store.revision;
    const watch = await openWatch(harness, `resourceVersion=${from}&labelSelector=exposed`);
    const label = (exposed: string | null) =>
      store.patch("pods", "shop/web-000", (object) => withLabels(object, { exposed }));
    label("yes");
    label("still");
    label(null);
    label("again");
    const events: (Json | undefined)[] = [];
    for (let index = 0; index < 4; index += 1) events.push(await watch.next());
    expect(events.map((event) => event?.["type"])).toEqual(["ADDED", "MODIFIED", "DELETED", "ADDED"]);
    expect(events[2]?.["object"]?.["metadata"]).toMatchObject({
      labels: { exposed: "still" },
      resourceVersion: String(from + 3),
    });
  });

  it("of one namespace hear of no other", async () => {
    const from = harness.cluster.store.revision;
    const watch = await openWatch(harness, `resourceVersion=${from}`, "/api/v1/namespaces/other/pods");
    createPods(harness, 1);
    harness.cluster.store.create("pods", pod({ namespace: "other", name: "api-0" }));
    expect(await watch.take(1)).toEqual([`ADDED api-0@${from + 2}`]);
  });

  it("get bookmarks only when asked, at the newest resourceVersion of the cluster", async () => {
    const { store } = harness.cluster;
    const from = store.revision;
    const plain = await openWatch(harness, `resourceVersion=${from}`);
    const marked = await openWatch(harness, `resourceVersion=${from}&allowWatchBookmarks=true`);
    store.create("nodes", { metadata: { name: "node-1" } });
    harness.clock.advance(60_000);
    const bookmark = await marked.next();
    expect(bookmark).toMatchObject({ type: "BOOKMARK", object: { kind: "Pod", apiVersion: "v1" } });
    expect(bookmark?.["object"]?.["metadata"]).toEqual({
      resourceVersion: String(from + 1),
      creationTimestamp: null,
    });
    createPods(harness, 1);
    expect(await plain.take(1)).toEqual([`ADDED web-000@${from + 2}`]);
  });

  it("end cleanly at timeoutSeconds", async () => {
    const watch = await openWatch(
      harness,
      `resourceVersion=${harness.cluster.store.revision}&timeoutSeconds=300`,
    );
    harness.clock.advance(300_000);
    expect(await watch.next()).toBeUndefined();
    await harness.cluster.traffic.until(() => harness.cluster.traffic.openWatches().length === 0);
  });

  it("without resourceVersion begin with what stands", async () => {
    createPods(harness, 2);
    const watch = await openWatch(harness, "");
    const rv = harness.cluster.store.revision;
    expect(await watch.take(2)).toEqual([`ADDED web-000@${rv - 1}`, `ADDED web-001@${rv}`]);
  });

  it("as WatchList tell what stands, mark its end, and go on", async () => {
    createPods(harness, 2);
    const rv = harness.cluster.store.revision;
    const query =
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=";
    const watch = await openWatch(harness, query);
    expect(await watch.take(2)).toEqual([`ADDED web-000@${rv - 1}`, `ADDED web-001@${rv}`]);
    expect((await watch.next())?.["object"]?.["metadata"]).toEqual({
      resourceVersion: String(rv),
      creationTimestamp: null,
      annotations: { "k8s.io/initial-events-end": "true" },
    });
    harness.cluster.store.remove("pods", "shop/web-000");
    expect(await watch.take(1)).toEqual([`DELETED web-000@${rv + 1}`]);
  });

  it("as WatchList are refused by an old server", async () => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    harness.cluster.faults.watchList = false;
    expect((await get(harness, `/api/v1/pods?${query}`)).status).toBe(422);
    harness.cluster.faults.watchList = 400;
    expect((await get(harness, `/api/v1/pods?${query}`)).status).toBe(400);
  });

  it("refuse with 422 parameters that contradict", async () => {
    for (const query of ["sendInitialEvents=true", "resourceVersionMatch=NotOlderThan&resourceVersion=1"]) {
      expect([query, (await get(harness, `/api/v1/pods?watch=true&${query}`)).status]).toEqual([query, 422]);
    }
  });

  it("break when the store goes back to a backup, and get no answer at the old, higher resourceVersion", async () => {
    const { store, traffic } = harness.cluster;
    createPods(harness, 1);
    const { uid } = store;
    const backup = store.backup();
    createPods1(store, "later");
    const high = store.revision;
    const watch = await openWatch(harness, `resourceVersion=${high}`);
    store.restoreFromBackup(backup);
    await expect(watch.next()).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
    expect([store.uid, store.revision, store.get("pods", "shop/later")]).toEqual([uid, high - 1, undefined]);
    let answered = false;
    const requests = traffic.requestCount;
    const resumed = send(harness, `/api/v1/pods?watch=true&resourceVersion=${high + 5}`).then((response) => {
      answered = true;
      return response;
    });
    await traffic.until(() => traffic.requestCount > requests);
    store.bumpNoise("pods", "shop/web-000");
    expect(JSON.parse((await get(harness, "/api/v1/pods?limit=1")).text)).toMatchObject({
      metadata: { resourceVersion: String(high) },
    });
    expect(answered).toBe(false);
    for (let index = 0; index < 6; index += 1) store.bumpNoise("pods", "shop/web-000");
    expect(await new WatchReader(await resumed).take(1)).toEqual([`MODIFIED web-000@${high + 6}`]);
  });

  it("break when another cluster answers under the name, and see its content", async () => {
    const watch = await openWatch(harness, `resourceVersion=${harness.cluster.store.revision}`);
    createPods(harness, 1);
    const { uid } = harness.cluster.store;
    harness.cluster.store.wipe();
    expect(await watch.take(1)).toHaveLength(1);
    await expect(watch.next()).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
    expect(harness.cluster.store.uid).not.toBe(uid);
    expect(JSON.parse((await get(harness, "/api/v1/pods")).text)).toMatchObject({ items: [] });
  });

  it("are counted while the client reads, and forgotten when it calls off", async () => {
    const { traffic, store } = harness.cluster;
    const abort = new AbortController();
    const response = await send(harness, `/api/v1/pods?watch=true&resourceVersion=${store.revision}`, {
      signal: abort.signal,
    });
    await traffic.whenWatching("pods");
    const next = new WatchReader(response).next();
    abort.abort();
    await expect(next).rejects.toMatchObject({ code: "ABORTED" });
    await traffic.until(() => traffic.openWatches("pods").length === 0);
  });
});

function createPods1(store: Harness["cluster"]["store"], name: string): void {
  store.create("pods", pod({ namespace: "shop", name }));
}
