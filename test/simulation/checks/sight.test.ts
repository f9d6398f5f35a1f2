import { expect, it } from "vitest";
import type { Identity } from "../../../src/apisix/types.ts";
import type { Body } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import type { Known } from "../wire/knowledge.ts";
import { cameLater, keptWhatStood, partsOf } from "./sight.ts";

const fleet: Identity = {
  ...{ kind: "pod", share: "fleet", cluster: "", namespace: "shop", name: "", route: "web" },
};
const absent: Known = { type: "absent" };
const unknown: Known = { type: "unknown" };
const ofEast = {
  type: "value",
  value: { labels: { "translator/member.east": "uid" } },
} as const satisfies Known;

const ofWest = { labels: { "translator/member.west": "uid" } };
const either = (...bodies: readonly (Body | undefined)[]): Known => ({ type: "unknown", either: bodies });

/** A write that was given up, until `fields` say otherwise. */
function sent(knownUpstream: Known, fields: Partial<SentRequest> = {}): SentRequest {
  return {
    ...{ tag: 1, term: 1, method: "PUT", collection: "upstreams", id: "t-1", sentAt: 0, timeout: 1000 },
    ...{ known: knownUpstream, knownUpstream, knownRoute: absent, lookedAt: 0, routesSeenAt: 0 },
    lastRead: undefined,
    ...{ exchange: undefined, endedAt: 1000, isOrphan: () => false },
    ...fields,
  };
}

const orphaned = { endedAt: undefined, isOrphan: () => true };

it.each([
  ["given up, sent when nothing stood", sent(absent), true],
  ["given up, sent when what stood had no part of the cluster", sent(ofEast), true],
  ["of a process that leads no more", sent(absent, orphaned), true],
  ["applied in time", sent(absent, { endedAt: undefined }), false],
  ["sent when it was unknown what stood", sent(unknown), false],
  ["sent when it was open which of two stood, both without it", sent(either(ofEast.value, undefined)), true],
  ["sent when it was open which of two stood, one with it", sent(either(ofEast.value, ofWest)), false],
  ["a DELETE of what did not stand", sent(absent, { method: "DELETE" }), false],
])("a late write is not blamed for a cluster that joined after it was sent: %s", (_, request, isExcused) => {
  expect(cameLater("west", fleet, request)).toBe(isExcused);
});

it("nor for a node of a cluster with a part that somebody had taken out before it was sent", () => {
  const [host, port] = ["10.0.0.1", 8080];
  const emptied: Known = { type: "value", value: { ...ofEast.value, nodes: [] } };
  const full: Known = { type: "value", value: { ...ofEast.value, nodes: [{ host, port, weight: 1 }] } };
  expect(cameLater("east", fleet, sent(emptied), { host, port })).toBe(true);
  expect(cameLater("east", fleet, sent(full), { host, port })).toBe(false);
});

it("a late write is blamed for a cluster that had a part when it was sent, and for a group of one cluster", () => {
  expect(cameLater("east", fleet, sent(ofEast))).toBe(false);
  expect(cameLater("west", { ...fleet, share: "none", cluster: "west", name: "a" }, sent(absent))).toBe(
    false,
  );
});

it.each([
  ["given up", sent(ofEast), ["east"]],
  ["given up, when it was open which of two stood", sent(either(ofEast.value, ofWest)), ["west", "east"]],
  ["given up, when it was unknown what stood", sent(unknown), ["west"]],
  ["of a process that leads no more", sent(ofEast, orphaned), ["east"]],
  ["applied in time", sent(ofEast, { endedAt: undefined }), ["west"]],
])("a write is judged by the clusters that had a part when it was sent: %s", (_, request, clusters) => {
  expect(partsOf(fleet, ofWest, request)).toEqual(clusters);
});

const settings = (retries: number, port: number): Body => ({ retries, nodes: [{ port }] });
const stood = (retries: number): Known => ({ type: "value", value: settings(retries, 8080) });

it.each([
  ["given up, sent when the same stood", sent(stood(1)), true],
  ["given up, sent when other settings stood", sent(stood(2)), false],
  ["applied in time", sent(stood(1), { endedAt: undefined }), true],
  ["applied in time, sent when other settings stood", sent(stood(2), { endedAt: undefined }), false],
  ["sent when nothing stood", sent(absent), false],
  ["sent when it was unknown what stood", sent(unknown), false],
  ["sent when it was open which of two stood", sent(either(settings(1, 80), settings(1, 81))), true],
  ["the same, one with other settings", sent(either(settings(1, 80), settings(2, 80))), false],
  ["the same, or nothing", sent(either(undefined, settings(1, 80))), false],
])(
  "a write that kept the settings which stood, as far as was known when it was sent, changes none: %s",
  (_, request, isKept) => {
    expect(keptWhatStood(request, settings(1, 9090), ({ retries }) => String(retries))).toBe(isKept);
  },
);
