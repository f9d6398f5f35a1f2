import { expect, it } from "vitest";
import { noStates } from "../../src/observe/count-states.ts";
import { noEvents } from "../../src/observe/event-counts.ts";
import { statusOf } from "../../src/observe/status.ts";
import type { StatusFacts } from "../../src/observe/status.ts";
import { wall } from "./facts.ts";

const events = noEvents();
events.pods.kept = 1;
events.pods.unchanged = 6;
events.nodes.unselected = 1;

const known: StatusFacts = {
  role: "leader",
  leader: undefined,
  ...{ paused: true, shadow: false },
  clusters: [
    {
      ...{ name: "east", uid: "u-1", weight: 100 },
      kinds: [
        ["pods", { state: "synced", since: wall, objects: 12 }],
        ["nodes", { state: "degraded", since: wall, objects: 3, reason: "403" }],
      ],
    },
    { name: "west", uid: undefined, weight: 0, kinds: [] },
  ],
  queues: { drip: 1, burst: 2, nextBurstAt: wall + 500 },
  routes: { ...noStates(), Routed: 12 },
  guard: { held: 3, batch: "b-1" },
  gateway: { state: "up", version: "3.18.0", routes: 40 },
  forged: [{ resource: "route", id: "stolen", why: "" }],
  usedByOthers: [{ id: "t-1", usedBy: "route [shop]" }],
  events,
  workers: { restarts: 1, quarantined: ["east/pods/shop/poison"] },
};

it("has the shape of PRODUCT.md, times in ISO 8601", () => {
  expect(statusOf(known)).toEqual({
    role: "leader",
    leader: null,
    ...{ paused: true, shadow: false },
    clusters: [
      {
        ...{ name: "east", uid: "u-1", weight: 100 },
        kinds: {
          pods: { state: "synced", since: "2027-01-15T08:00:00.000Z", objects: 12 },
          nodes: { state: "degraded", since: "2027-01-15T08:00:00.000Z", objects: 3, reason: "403" },
        },
      },
      { name: "west", uid: null, weight: 0, kinds: {} },
    ],
    queues: { drip: 1, burst: 2, nextBurstAt: "2027-01-15T08:00:00.500Z" },
    routes: known.routes,
    guard: { held: 3, batch: "b-1" },
    gateway: { state: "up", version: "3.18.0", routes: 40 },
    forged: ["route stolen"],
    usedByOthers: ["t-1 by route [shop]"],
    events: {
      ...{ total: 8, kept: 1 },
      dropped: {
        ...{ generation: 0, identical: 0, unchanged: 0.75, unselected: 0.125 },
        ...{ absent: 0, malformed: 0, stale: 0, unreadable: 0 },
      },
    },
    workers: { restarts: 1, quarantined: ["east/pods/shop/poison"] },
  });
});

it("says null where nothing is known", () => {
  const status = statusOf({
    ...known,
    queues: { drip: 0, burst: 0, nextBurstAt: undefined },
    guard: { held: 0, batch: undefined },
    gateway: { state: "unknown", version: "", routes: undefined },
    events: noEvents(),
  });
  expect(status.queues.nextBurstAt).toBeNull();
  expect(status.guard).toEqual({ held: 0, batch: null });
  expect(status.gateway).toEqual({ state: "unknown", version: null, routes: null });
  expect(status.events).toMatchObject({ total: 0, dropped: { unchanged: 0 } });
});
