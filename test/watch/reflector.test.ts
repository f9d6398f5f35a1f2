import { describe, expect, test } from "vitest";
import {
  proxyFault,
  redirectFault,
  statusFault,
  wrongListFault,
  wrongLists,
} from "../../src/sim/kubernetes/faults.ts";
import { WatchedCluster, type WatchedOptions } from "./watched-cluster.ts";

async function synced(pods = 3, options: WatchedOptions = {}): Promise<WatchedCluster> {
  const watched = new WatchedCluster(options);
  watched.addPods(pods);
  await watched.clock.advance(100);
  expect(watched.health).toMatchObject({ state: "synced", objects: pods });
  return watched;
}

/** A server without WatchList. */
async function syncedInPages(pods = 3): Promise<WatchedCluster> {
  const watched = new WatchedCluster();
  watched.cluster.faults.watchList = false;
  watched.addPods(pods);
  await watched.clock.advance(100);
  expect(watched.health).toMatchObject({ state: "synced", objects: pods });
  return watched;
}

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {}

const lists = { resource: "pods", verb: "list" } as const;
const watches = { resource: "pods", verb: "watch" } as const;

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
    expect(watched.asked(requests)).toEqual([`watch ${revision}`]);
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
    expect(watched.asked(requests)).toEqual([expect.stringContaining("watch ")]);
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

describe("W1: 410", () => {
  test.each(["in the stream", "on resuming"])(
    "%s leads to a relist, and what went meanwhile is deleted",
    async (how) => {
      const watched = await synced(4);
      watched.addPod("queued");
      await watched.clock.advance(100);
      const events = watched.events.length;
      watched.network.stop();
      watched.removePod("web-1");
      watched.removePod("queued");
      watched.addPod("new");
      if (how === "on resuming") watched.cluster.store.compact();
      watched.network.start();
      if (how === "in the stream") watched.cluster.faults.onRequest(watches, gone, { times: 1 });
      await watched.clock.advance(3_000);
      expect(watched.said(events).filter((said) => said === "relist delete")).toHaveLength(2);
      expect(watched.said(events).at(-1)).toBe("synced");
      expect(watched.held).toEqual(watched.truth);
    },
  );

  const gone = {
    type: "answer",
    status: 200,
    contentType: "application/json",
    body: '{"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}}\n',
  } as const;

  test("again and again is answered with growing waits", async () => {
    const watched = await synced(1, { random: () => 0.999 });
    watched.cluster.faults.onRequest(watches, statusFault(410));
    watched.cluster.faults.watchList = false;
    for (const watch of watched.cluster.traffic.openWatches()) watch.fail(410);
    await watched.clock.advance(10_000);
    expect(watched.asked().filter((asked) => asked === "list").length).toBeLessThan(6);
  });
});

test("W2: what reached its last state during an outage is seen, though no event comes", async () => {
  const watched = await synced(3);
  watched.network.stop();
  watched.removePod("web-0");
  watched.removePod("web-1");
  watched.cluster.store.compact();
  await watched.clock.advance(20_000);
  expect(watched.held.size).toBe(3);
  watched.network.start();
  await watched.clock.advance(30_000);
  expect([...watched.held.keys()]).toEqual(["shop/web-2"]);
});

test("W3: 429 with Retry-After resumes at the same resourceVersion after that time, without a relist", async () => {
  const watched = await synced(2, { random: () => 0 });
  watched.cluster.faults.onRequest(watches, statusFault(429, 7), { times: 1 });
  await watched.clock.advance(2_000);
  const events = watched.events.length;
  for (const watch of watched.cluster.traffic.openWatches()) watch.end();
  watched.addPod("b");
  const requests = watched.requestCount;
  await watched.clock.advance(6_900);
  expect(watched.asked(requests)).toHaveLength(1);
  await watched.clock.advance(200);
  const [first, second] = watched.asked(requests);
  expect(second).toBe(first);
  expect(watched.said(events)).toEqual(["apply"]);
});

describe("W4: a list that fails half-way", () => {
  const failures = [
    ["page 3 answers 500", 3, statusFault(500)],
    ["page 2's token is 410", 2, statusFault(410)],
    ["page 3 is cut off", 3, { type: "truncate", bytes: 900, clean: false }],
    ["page 3 ends early but cleanly", 3, { type: "truncate", bytes: 900, clean: true }],
    ["page 2 is a proxy's HTML", 2, proxyFault(200)],
  ] as const;

  test.each(failures)("%s: nothing is deleted until a list is complete", async (_what, page, fault) => {
    const watched = await syncedInPages(1_200);
    const events = watched.events.length;
    const mend = watched.cluster.faults.onRequest({ ...lists, page }, fault);
    for (const watch of watched.cluster.traffic.openWatches()) watch.fail(410);
    watched.removePod("web-5");
    watched.removePod("web-900");
    await watched.clock.advance(200);
    expect(watched.health).toMatchObject({ state: "degraded", objects: 1_200 });
    await watched.clock.advance(60_000);
    expect(watched.said(events).filter((said) => said.includes("delete") || said === "synced")).toEqual([]);
    mend();
    await watched.clock.advance(31_000);
    expect(watched.held).toEqual(watched.truth);
    expect(watched.said(events).filter((said) => said === "degraded")).toHaveLength(1);
    expect(watched.health.state).toBe("synced");
  });
});

describe("W5: half-open", () => {
  test("a silent watch is noticed within 60 s by its probe, and the kind is degraded 30 s later", async () => {
    const watched = await synced(2);
    const mend = watched.cluster.faults.halfOpen();
    await watched.clock.advance(60_000);
    expect(watched.cluster.traffic.openWatches()).toHaveLength(0);
    await watched.clock.advance(30_000);
    expect(watched.health.state).toBe("degraded");
    expect(watched.held.size).toBe(2);
    watched.removePod("web-0");
    mend();
    await watched.clock.advance(61_000);
    expect(watched.health).toMatchObject({ state: "synced", objects: 1 });
    expect([...watched.held.keys()]).toEqual(["shop/web-1"]);
  });

  test("one probe that fails costs nothing", async () => {
    const watched = await synced(2);
    watched.cluster.faults.onRequest(lists, statusFault(503), { times: 1 });
    await watched.clock.advance(100_000);
    expect(watched.asked().filter((asked) => asked.startsWith("watch"))).toEqual(["watchList"]);
  });

  test("probes that are told 429 end no watch", async () => {
    const watched = await synced(2);
    watched.cluster.faults.onRequest(lists, statusFault(429, 1));
    await watched.clock.advance(100_000);
    expect(watched.cluster.traffic.openWatches()).toHaveLength(1);
  });
});

describe("W6: credentials that are not good any more", () => {
  test.each([401, 403])("%d degrades with the reason and never empties", async (code) => {
    const watched = await synced(3);
    if (code === 401) watched.cluster.access.tokens.clear();
    else watched.cluster.access.forbidden.add("pods");
    for (const watch of watched.cluster.traffic.openWatches()) watch.cut();
    await watched.clock.advance(60_000);
    expect(watched.health).toMatchObject({
      state: "degraded",
      objects: 3,
      reason: expect.stringContaining(String(code)),
    });
    expect(watched.held.size).toBe(3);
    watched.cluster.access.tokens.add("sim-token");
    watched.cluster.access.forbidden.clear();
    await watched.clock.advance(31_000);
    expect(watched.health.state).toBe("synced");
  });

  test("an open watch does not hide that its token was taken away", async () => {
    const watched = await synced(1);
    watched.cluster.access.tokens.clear();
    await watched.clock.advance(60_000);
    expect(watched.health.state).toBe("degraded");
  });
});

test("W7: a store restored from a backup is seen by the probe and relisted", async () => {
  const watched = await synced(2);
  const backup = watched.cluster.store.backup();
  watched.addPod("after-the-backup");
  watched.addPod("after-the-backup-2");
  await watched.clock.advance(100);
  watched.cluster.store.restoreFromBackup(backup);
  // The first probe is sent after 20 s; after 30 s the watch, which is never answered, would be given up anyway.
  await watched.clock.advance(25_000);
  expect(watched.held).toEqual(watched.truth);
  expect(watched.said().filter((said) => said === "relist delete")).toHaveLength(2);
});

describe("wrong answers to a list degrade, and are never an empty list", () => {
  const answers = [
    ...Object.keys(wrongLists).map(
      (name) => [name, wrongListFault("pods", name as keyof typeof wrongLists)] as const,
    ),
    ["HTML with status 200", proxyFault(200)],
    ["HTML with status 502", proxyFault(502)],
    ["a redirect", redirectFault("https://elsewhere.example.com/")],
    ["500", statusFault(500)],
    ["an endless body", { type: "endless" }],
    ["a broken connection", { type: "reset" }],
  ] as const;

  test.each(answers)("%s", async (_what, fault) => {
    const watched = await syncedInPages(2);
    const events = watched.events.length;
    const mend = watched.cluster.faults.onRequest({ ...lists, page: 1 }, fault);
    for (const watch of watched.cluster.traffic.openWatches()) watch.fail(410);
    await watched.clock.advance(2_000);
    expect(watched.health).toMatchObject({ state: "degraded", objects: 2 });
    expect(watched.said(events)).toEqual(["degraded"]);
    mend();
    await watched.clock.advance(31_000);
    expect(watched.health.state).toBe("synced");
    expect(watched.held).toEqual(watched.truth);
  });
});

test("a list that is never answered degrades after 30 s, and is asked for again", async () => {
  const watched = await syncedInPages(2);
  const mend = watched.cluster.faults.onRequest(lists, { type: "hang" });
  for (const watch of watched.cluster.traffic.openWatches()) watch.fail(410);
  await watched.clock.advance(31_000);
  expect(watched.health).toMatchObject({ state: "degraded", objects: 2 });
  mend();
  await watched.clock.advance(32_000);
  expect(watched.health.state).toBe("synced");
});

test("a list whose continue token leads to itself ends", async () => {
  const watched = await syncedInPages(1);
  const body = JSON.stringify({
    kind: "PodList",
    apiVersion: "v1",
    metadata: { resourceVersion: "2000", continue: "again" },
    items: [],
  });
  watched.cluster.faults.onRequest(lists, {
    type: "answer",
    status: 200,
    contentType: "application/json",
    body,
  });
  for (const watch of watched.cluster.traffic.openWatches()) watch.fail(410);
  await watched.clock.advance(500);
  expect(watched.health).toMatchObject({
    state: "degraded",
    reason: expect.stringContaining("continue token"),
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
