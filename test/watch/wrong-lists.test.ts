import { describe, expect, test } from "vitest";
import {
  proxyFault,
  redirectFault,
  statusFault,
  wrongListFault,
  wrongLists,
} from "../../src/sim/kubernetes/faults.ts";
import { lists, syncedInPages } from "./synced-cluster.ts";

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
