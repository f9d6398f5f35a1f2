import { expect, it } from "vitest";
import { node } from "../../../src/sim/kubernetes/node.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { service } from "../../../src/sim/kubernetes/service.ts";
import type { ServiceOptions } from "../../../src/sim/kubernetes/service.ts";
import { declaredIn, expectedOf } from "../oracle/expected.ts";
import type { Meaning } from "../truth-history.ts";
import { isAbsent, isOffNodes, isUnnamed, needs, ownersIn, viaOf } from "./asked-for.ts";

const host = "a.example.com";
const onNodes = [{ name: "web", port: 80, host, via: "nodePort" }];
const open = { type: "NodePort", ports: [{ name: "http", port: 80, nodePort: 30_080 }] } as const;
const closed = { ports: [{ name: "http", port: 80 }] };

/** What a Service means in a cluster with one Node, and the id of its group. */
function meant(options: Partial<ServiceOptions>, paused = false): readonly [Meaning, string] {
  const { metadata, ...rest } = service({ namespace: "shop", name: "web", routes: onNodes, ...options });
  const annotations = {
    ...metadata.annotations,
    ...(paused ? { "apisix-translator.io/paused": "true" } : {}),
  };
  const services = [{ ...rest, metadata: { ...metadata, annotations, uid: "1" } }];
  const nodes = [node({ name: "node-0", internalIPs: ["192.168.0.1"] })];
  const cluster = { name: "east", uid: "e", pods: [], services, slices: [], nodes, weight: 100, known: true };
  const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };
  const truth = { instance: "sim", policy, clusters: [cluster] };
  const groups = expectedOf(truth);
  const [id = ""] = groups.keys();
  return [{ from: 0, groups, truth, kept: new Map() }, id];
}

it.each([
  ["valid, by way of Nodes", meant(open), [false, false]],
  ["valid, by endpoints", meant({ routes: [{ name: "web", port: 80, host }] }), [true, true]],
  ["Invalid, for its port is open on no Node", meant(closed), [true, false]],
  ["paused", meant(closed, true), [false, false]],
])("only an Invalid Service leaves Nodes because what was accepted says so: %s", (_, [meaning, id], is) => {
  expect([isOffNodes(meaning, id, true), isOffNodes(meaning, id, false)]).toEqual(is);
});

it("a Service has a part by the label alone only where nothing names the group, and it once did", () => {
  const [{ groups, truth }, id] = meant({});
  const [source] = [...declaredIn(truth)].map(({ pod }) => pod);
  if (source === undefined) throw new Error("no Service is declared");
  const kept = new Map([[id, [source]]]);
  const none: Meaning["groups"] = new Map();
  const is = (meaning: Partial<Meaning>): boolean =>
    isUnnamed({ from: 0, truth, groups: none, kept: new Map(), ...meaning }, id);
  expect(is({ kept })).toBe(true);
  expect(is({ kept, groups })).toBe(false);
  expect(is({})).toBe(false);
  const { endpoints: _endpoints, ...pod } = source;
  expect(is({ kept: new Map([[id, [pod]]]) })).toBe(false);
});

it.each([
  ["a node of its own stands", [{ cluster: "east", name: "web-0" }], false],
  ["only one of its namesake in another cluster stands", [{ cluster: "west", name: "web-0" }], true],
  ["only one of another Pod of its cluster stands", [{ cluster: "east", name: "web-1" }], true],
])("a Pod that cannot be read any more keeps a group that several share: %s", (_, standing, is) => {
  const object = pod({ namespace: "shop", name: "web-0", uid: "1", ip: "10.0.0.1", routes: "{" });
  const cluster = { name: "east", uid: "e", services: [], slices: [], nodes: undefined, weight: 100 };
  const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };
  const truth = { instance: "sim", policy, clusters: [{ ...cluster, pods: [object], known: true }] };
  const kept = new Map([["id", [...declaredIn(truth)].map(({ pod: source }) => source)]]);
  const nodes = standing.map((metadata) => ({ host: "10.0.0.1", port: 8080, weight: 100, metadata }));
  const all = { cluster: "", name: "" };
  const owners = ownersIn(
    { ...all, share: "fleet", kind: "pod", namespace: "shop", route: "web" },
    { nodes },
  );
  expect(isAbsent({ from: 0, groups: new Map(), truth, kept }, "id", owners)).toBe(is);
});

it.each([
  ["while it is paused", "true", true, true],
  ["where it was never anything but paused", "true", false, false],
  ["while it is not", "false", true, false],
])("whether a node of a Pod that is not ready and shares its group stays: %s", (_, paused, gave, stays) => {
  const shared = { name: "web", port: 8080, host, share: "cluster" };
  const object = pod({
    ...{ namespace: "shop", name: "web-0", uid: "1", ip: "10.0.0.1", ready: false, routes: [shared] },
    annotations: { "apisix-translator.io/paused": paused },
  });
  const cluster = { name: "east", uid: "e", services: [], slices: [], nodes: undefined, weight: 100 };
  const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };
  const truth = { instance: "sim", policy, clusters: [{ ...cluster, pods: [object], known: true }] };
  const groups = expectedOf(truth);
  const [id = ""] = groups.keys();
  const meaning: Meaning = { from: 0, groups, truth, kept: new Map() };
  expect(needs(meaning, id, "10.0.0.1", 8080, new Set(), (uid) => gave && uid === "1")).toBe(stays);
});

it.each([
  ["80,endpoint,ready", "endpoint"],
  ["http,nodePort,all", "nodePort"],
  ["80", undefined],
  [undefined, undefined],
])("what chooses nodes says what they come by: %s", (selection, via) => {
  expect(viaOf(selection)).toBe(via);
});
