import { expect, it } from "vitest";
import { endpointSlice } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { service } from "../../../src/sim/kubernetes/service.ts";
import { expectedOf } from "../oracle/expected.ts";
import type { ClusterTruth } from "../oracle/expected.ts";
import { isMerelyUnready } from "./readiness.ts";

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

function isUnready(objects: Partial<ClusterTruth>): boolean {
  const nothing = { pods: [], services: [], slices: [], nodes: undefined };
  const cluster = { ...nothing, name: "east", uid: "e", weight: 100, known: true, ...objects };
  const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };
  const truth = { instance: "sim", policy, clusters: [cluster] };
  const groups = expectedOf(truth);
  const all = expectedOf({
    ...truth,
    clusters: [{ ...cluster, pods: [replica("a", true)], services: [web] }],
  });
  return [...all.keys()].some((id) => isMerelyUnready({ from: 0, groups, truth, kept: new Map() }, id));
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
