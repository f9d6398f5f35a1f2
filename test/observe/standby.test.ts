import { describe, expect, it } from "vitest";
import { CurrentObserved } from "../../src/observe/current-observed.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { Standby, type ElectionFacts } from "../../src/observe/standby.ts";
import { parseMetrics } from "./parse-metrics.ts";

const standby = (facts: Partial<ElectionFacts> = {}): Standby =>
  new Standby({
    clusters: () => [{ name: "home", weight: 100 }],
    lease: { cluster: "home", namespace: "infra", lease: "translator" },
    election: { standsBy: true, leader: "10.0.0.1:8080", problem: undefined, ...facts },
    metrics: createMetrics({ withProcess: false }),
  });

describe("an instance that does not lead", () => {
  it("is ready as a standby, names the leader, and knows nothing of clusters and routes", async () => {
    const speaks = standby();
    expect(speaks.ready()).toEqual({ ready: true, role: "standby", waitingFor: [], degraded: [] });
    expect(await speaks.status()).toMatchObject({
      ...{ role: "standby", leader: "10.0.0.1:8080", routes: { Routed: 0 } },
      clusters: [{ name: "home", uid: null, weight: 100, kinds: {} }],
      gateway: { state: "unknown", version: null, routes: null },
    });
    const { values } = parseMetrics(await speaks.metrics());
    expect(values.get("apisix_translator_leader")).toBe(0);
    expect([await speaks.explain(), speaks.approve(), (await speaks.audit()).ok]).toEqual([
      { declarations: [], foreign: [] },
      undefined,
      false,
    ]);
  });

  it.each([
    [undefined, "the Lease infra/translator in cluster home has not been acquired"],
    [
      "the server answered 403",
      "the Lease infra/translator in cluster home cannot be reached: the server answered 403",
    ],
  ])(
    "is starting and not ready before it has seen a leader, and says what it waits for (%s)",
    (problem, wait) => {
      const ready = standby({ standsBy: false, leader: undefined, problem }).ready();
      expect(ready).toEqual({ ready: false, role: "starting", waitingFor: [wait], degraded: [] });
    },
  );
});

it("whoever speaks for an instance, once it stops it is stopping", async () => {
  const current = new CurrentObserved(standby({ standsBy: false }), () => "10.0.0.9:8080");
  expect(current.role()).toBe("starting");
  current.become(standby());
  expect([current.role(), current.leader()]).toEqual(["standby", "10.0.0.1:8080"]);
  current.stopping();
  expect([current.role(), current.ready().ready, (await current.status()).role]).toEqual([
    "stopping",
    false,
    "stopping",
  ]);
});

it("an instance that leads names itself as the leader, and nobody once it stops", async () => {
  const waiting = standby({ leader: undefined });
  const current = new CurrentObserved(waiting, () => "10.0.0.9:8080");
  current.become({
    ...{ role: () => "leader", leader: () => undefined, status: () => waiting.status() },
    ...{ ready: () => waiting.ready(), explain: () => waiting.explain(), metrics: () => waiting.metrics() },
    ...{ approve: () => undefined, pause: () => waiting.pause(), resume: () => {} },
    ...{ audit: () => waiting.audit(), accept: () => waiting.accept(), purge: () => waiting.purge() },
  });
  expect([current.leader(), (await current.status()).leader]).toEqual(["10.0.0.9:8080", "10.0.0.9:8080"]);
  current.stopping();
  expect([current.leader(), (await current.status()).leader]).toEqual([undefined, null]);
});
