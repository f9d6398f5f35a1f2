import { describe, expect, test } from "vitest";
import { proxyFault, statusFault } from "../../src/sim/kubernetes/faults.ts";
import { lists, synced, syncedInPages, watches } from "./synced-cluster.ts";

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
  // A probe goes with the watch that is resumed; after 30 s that one, which is never answered, would be given up anyway.
  await watched.clock.advance(25_000);
  expect(watched.held).toEqual(watched.truth);
  expect(watched.said().filter((said) => said === "relist delete")).toHaveLength(2);
});

test("W7: a restored store that soon has caught up with what the watch saw is seen all the same", async () => {
  const watched = await synced(2);
  const backup = watched.cluster.store.backup();
  watched.addPod("after-the-backup");
  await watched.clock.advance(100);
  watched.cluster.store.restoreFromBackup(backup);
  await watched.clock.advance(5_000);
  // From here on its resourceVersion tells nothing any more.
  watched.addPod("after-the-restore");
  await watched.clock.advance(25_000);
  expect(watched.held).toEqual(watched.truth);
});
