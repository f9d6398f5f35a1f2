import { expect, it } from "vitest";
import type { Identity } from "../../../src/apisix/types.ts";
import { endpointSlice } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { service } from "../../../src/sim/kubernetes/service.ts";
import { expectedOf } from "../oracle/expected.ts";
import type { ClusterTruth } from "../oracle/expected.ts";
import { idOf } from "../oracle/ownership.ts";
import type { Meaning } from "../truth-history.ts";
import { isMerelyUnready, isUnreadAndUnready } from "./readiness.ts";

const namespace = "shop";
const routes = [{ name: "web", port: 8080, host: "a.example.com" }];

function stored<T extends KubeObject>(object: T): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" } };
}

const replica = (name: string, ready: boolean): KubeObject =>
  stored(pod({ namespace, name, ready, routes, owner: "web" }));
const web = stored(service({ namespace, name: "web", routes, ports: [{ port: 8080 }] }));
const slice = (ready: boolean): KubeObject =>
  stored(endpointSlice({ namespace, service: "web", endpoints: [{ ip: "10.0.0.1", ready }] }));

function meaningOf(objects: Partial<ClusterTruth>): Meaning {
  const nothing = { pods: [], services: [], slices: [], nodes: undefined };
  const cluster = { ...nothing, name: "east", uid: "e", weight: 100, known: true, ...objects };
  const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };
  const truth = { instance: "sim", policy, clusters: [cluster] };
  return { from: 0, groups: expectedOf(truth), truth, kept: new Map() };
}

function isUnready(objects: Partial<ClusterTruth>): boolean {
  const all = meaningOf({ pods: [replica("a", true)], services: [web] }).groups;
  return [...all.keys()].some((id) => isMerelyUnready(meaningOf(objects), id));
}

it.each([
  ["the only Pod is not ready", { pods: [replica("a", false)] }, true],
  ["one of two Pods is ready", { pods: [replica("a", false), replica("b", true)] }, false],
  ["the Pods are gone", {}, false],
  ["its cluster is drained", { pods: [replica("a", false)], weight: 0 }, false],
  ["no endpoint of the Service is ready", { services: [web], slices: [slice(false)] }, true],
  ["an endpoint of the Service is ready", { services: [web], slices: [slice(true)] }, false],
  ["all slices of the Service are gone", { services: [web] }, false],
])("readiness alone excuses an emptying while the source is there: %s", (_, objects, is) => {
  expect(isUnready(objects)).toBe(is);
});

const taken = "[]";
const unread = "[";

/** One without a controller. */
const alone = (annotation: string, ready: boolean, extra: object = {}): KubeObject =>
  stored(pod({ namespace, name: "a", ready, routes: annotation, ...extra }));
const serviceSaying = (annotation: string): KubeObject =>
  stored(service({ namespace, name: "web", routes: annotation, ports: [{ port: 8080 }] }));

function isUnread(kind: "pod" | "service", objects: Partial<ClusterTruth>, select: string): boolean {
  const name = kind === "pod" ? "a" : "web";
  const identity: Identity = { share: "none", cluster: "east", kind, namespace, name, route: "web" };
  const upstream = { labels: { "translator/select": select } };
  return isUnreadAndUnready(meaningOf(objects), idOf("sim", identity), identity, upstream);
}

const ready = "8080,endpoint,ready";
const slices = [slice(false)];
it.each([
  ["its Pod is not ready", "pod", { pods: [alone(unread, false)] }, ready, true],
  ["its Pod is ready", "pod", { pods: [alone(unread, true)] }, ready, false],
  ["its Pod gives its node unready too", "pod", { pods: [alone(unread, false)] }, "8080,endpoint,all", false],
  ["its Pod can be read", "pod", { pods: [alone(taken, false)] }, ready, false],
  [
    "its Pod is paused",
    "pod",
    { pods: [alone(unread, false, { annotations: { "apisix-translator.io/paused": "true" } })] },
    ready,
    false,
  ],
  ["its Pod is gone", "pod", {}, ready, false],
  ["its cluster is drained", "pod", { pods: [alone(unread, false)], weight: 0 }, ready, false],
  ["no endpoint is ready", "service", { services: [serviceSaying(unread)], slices }, ready, true],
  ["its slices are gone", "service", { services: [serviceSaying(unread)] }, ready, false],
  ["its Service can be read", "service", { services: [serviceSaying(taken)], slices }, ready, false],
  ["it is on Nodes", "service", { services: [serviceSaying(unread)], slices }, "8080,nodePort,ready", false],
] as const)(
  "readiness excuses the emptying of what had been taken out of an annotation that cannot be read since: %s",
  (_, kind, objects, select, is) => {
    expect(isUnread(kind, objects, select)).toBe(is);
  },
);
