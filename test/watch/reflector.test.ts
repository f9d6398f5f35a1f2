import { describe, expect, test } from "vitest";
import { synced, watches } from "./synced-cluster.ts";
import { WatchedCluster } from "./watched-cluster.ts";

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}

describe("first list", () => {
  test("says who the cluster is, then each Pod, then that the kind is synced", async () => {
    const watched = await synced(3);
    expect(watched.said()).toEqual(["identity", "apply", "apply", "apply", "synced"]);
    expect(watched.events[0]).toMatchObject({ uid: watched.cluster.store.uid, session: 1 });
    expect(watched.asked()).toEqual(["watchList"]);
  });

  test("an empty cluster is synced, and not degraded", async () => {
    expect((await synced(0)).said()).toEqual(["identity", "synced"]);
  });

  test.each([400, 422] as const)(
    "a server that answers WatchList with %d is listed in pages of 500",
    async (code) => {
      const watched = new WatchedCluster();
      watched.cluster.faults.watchList = code;
      watched.addPods(1100);
      await watched.clock.advance(100);
      expect(watched.asked()).toEqual([
        "watchList",
        "list",
        "next page",
        "next page",
        expect.stringContaining("watch "),
      ]);
      expect(watched.held).toEqual(watched.truth);
      expect(watched.health.state).toBe("synced");
    },
  );

  test("a WatchList that brings nothing for 30 s gives way to pages", async () => {
    const watched = new WatchedCluster();
    watched.addPods(2);
    watched.cluster.faults.onRequest(watches, { type: "slow", ms: 29_000 }, { times: 1 });
    watched.cluster.faults.onFrame({ resource: "pods" }, { type: "silence" }, { times: 1 });
    await watched.clock.advance(29_500);
    expect(watched.asked()).toEqual(["watchList"]);
    await watched.clock.advance(31_000);
    expect(watched.asked()).toContain("list");
    expect(watched.health).toMatchObject({ state: "synced", objects: 2 });
  });

  test("pieces of the stream may be cut anywhere", async () => {
    const watched = await synced(40, { chop: Math.random });
    watched.removePod("web-7");
    watched.addPod("late");
    await watched.clock.advance(100);
    expect(watched.held).toEqual(watched.truth);
  });
});

describe("watch", () => {
  test("passes changes on in the server's order, once", async () => {
    const watched = await synced(1);
    const from = watched.events.length;
    watched.addPod("b");
    watched.removePod("web-0");
    watched.removePod("b");
    await watched.clock.advance(100);
    expect(watched.said(from)).toEqual(["apply", "delete", "delete"]);
    expect(watched.events.slice(from)).toMatchObject([
      { key: { namespace: "shop", name: "b" } },
      { key: { name: "web-0" }, relist: false },
      { key: { name: "b" }, relist: false },
    ]);
  });

  test("is resumed where it was after a clean end, without a relist and without a word", async () => {
    const watched = await synced(2);
    const [before, requests] = [watched.events.length, watched.requestCount];
    await watched.clock.advance(5_000);
    for (const watch of watched.cluster.traffic.openWatches()) watch.end();
    watched.addPod("meanwhile");
    await watched.clock.advance(100);
    expect(watched.asked(requests)).toEqual([expect.stringContaining("watch ")]);
    expect(watched.said(before)).toEqual(["apply"]);
  });

  test("is resumed at the last bookmark", async () => {
    const watched = await synced(1);
    for (let index = 0; index < 5; index++) {
      watched.cluster.store.create("secrets", { metadata: { namespace: "shop", name: `secret-${index}` } });
    }
    await watched.clock.advance(61_000);
    const [requests, revision] = [watched.requestCount, watched.cluster.store.revision];
    for (const watch of watched.cluster.traffic.openWatches()) watch.cut();
    await watched.clock.advance(1_000);
    expect(watched.asked(requests)).toEqual(["probe", `watch ${revision}`]);
  });

  test("a clean end within a second and without an event is answered with growing waits", async () => {
    let empty = false;
    const watched = await synced(1, {
      random: () => 0.999,
      through: (transport) => async (request) => {
        const response = await transport(request);
        return empty && request.path.includes("watch=") ? { ...response, body: nothing() } : response;
      },
    });
    empty = true;
    for (const watch of watched.cluster.traffic.openWatches()) watch.cut();
    const requests = watched.requestCount;
    await watched.clock.advance(10_000);
    // After 0.8, 1.6 and 3.2 s; the fourth would come after 12 s.
    expect(watched.asked(requests).filter((asked) => asked.startsWith("watch"))).toHaveLength(3);
  });

  test.each([
    ["that is not JSON", '{"type":"ADDED","object":{"metadata":{"na\n'],
    [
      "of an unknown type",
      '{"type":"CHANGED","object":{"metadata":{"name":"a","namespace":"b","resourceVersion":"9"}}}\n',
    ],
    ["without an object", '{"type":"ADDED"}\n'],
    ["without a name", '{"type":"ADDED","object":{"metadata":{"namespace":"b","resourceVersion":"1200"}}}\n'],
    ["without a resourceVersion", '{"type":"ADDED","object":{"metadata":{"name":"a","namespace":"b"}}}\n'],
    ["of HTML", "<html><body>502</body></html>\n"],
    ["longer than 4 MiB", `{"type":"ADDED","object":"${"x".repeat(4 * 1024 * 1024)}`],
  ])("an event %s ends the watch and relists", async (_what, text) => {
    const watched = await synced(2);
    const [events, requests] = [watched.events.length, watched.requestCount];
    watched.cluster.faults.onFrame({ resource: "pods" }, { type: "text", text }, { times: 1 });
    watched.removePod("web-0");
    await watched.clock.advance(1_000);
    expect(watched.asked(requests)).toEqual(["watchList"]);
    expect(watched.said(events)).toEqual(["apply", "relist delete", "synced"]);
    expect(watched.held).toEqual(watched.truth);
    expect(watched.faults).toEqual([]);
  });

  test("an in-stream error that is not 410 resumes where it was", async () => {
    const watched = await synced(2);
    const requests = watched.requestCount;
    watched.cluster.faults.onFrame({ resource: "pods" }, { type: "error", code: 500 }, { times: 1 });
    watched.addPod("b");
    await watched.clock.advance(1_000);
    expect(watched.asked(requests)).toEqual(["probe", expect.stringContaining("watch ")]);
    expect(watched.held).toEqual(watched.truth);
  });

  test("a connection cut in the middle of an event loses nothing", async () => {
    const watched = await synced(2);
    watched.cluster.faults.onFrame({ resource: "pods" }, { type: "cut" }, { times: 1 });
    watched.addPod("b");
    await watched.clock.advance(1_000);
    expect(watched.held).toEqual(watched.truth);
    expect(watched.said().filter((said) => said === "synced")).toHaveLength(1);
  });

  test("a server that ends no watch is left after its timeout and 5 s without a byte", async () => {
    const watched = new WatchedCluster({ random: () => 0 });
    watched.addPods(1);
    await watched.clock.advance(100);
    const [open] = watched.cluster.traffic.openWatches();
    open?.silence();
    const requests = watched.requestCount;
    await watched.clock.advance(300_000);
    expect(watched.asked(requests).filter((asked) => asked !== "probe")).toEqual([]);
    await watched.clock.advance(5_500);
    expect(watched.asked(requests).filter((asked) => asked !== "probe")).toEqual([
      expect.stringContaining("watch "),
    ]);
  });
});

test("a Pod that was deleted and made again while nobody looked is applied with its new uid (F6)", async () => {
  const watched = await synced(1);
  const old = watched.held.get("shop/web-0");
  watched.network.stop();
  watched.removePod("web-0");
  watched.addPod("web-0");
  watched.network.start();
  await watched.clock.advance(1_000);
  expect(watched.held.get("shop/web-0")).not.toBe(old);
  expect(watched.held).toEqual(watched.truth);
});
