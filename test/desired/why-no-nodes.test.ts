import { expect, it } from "vitest";
import { newFeeds } from "../../src/desired/feeds.ts";
import type { NodeContext } from "../../src/desired/pod-nodes.ts";
import { podRow } from "../../src/desired/pod-row.ts";
import type { Selection } from "../../src/desired/settings.ts";
import type { PodProjection } from "../../src/store/projection.ts";

const ready: PodProjection = {
  ...{ kind: "pod", namespace: "shop", name: "web-0", uid: "u", created: 1, controller: "" },
  ...{ routes: undefined, paused: false, terminating: false },
  ...{ phase: "Running", ready: true, ips: ["10.0.0.1"], ports: [] },
};
const selection: Selection = { port: 8080, via: "endpoint", publishNotReady: false };
const context: NodeContext = {
  ...{ cluster: "east", addressFamily: "IPv4", weight: 100, owned: true, feeds: newFeeds() },
  nodePort: { address: "InternalIP", maxNodes: 8 },
};

it.each<[string, Partial<PodProjection>, Partial<NodeContext>, Partial<Selection>]>([
  ["", {}, {}, {}],
  ["", { ready: false }, {}, { publishNotReady: true }],
  ["clusters[].weight of east is 0, which takes its nodes out", { ready: false }, { weight: 0 }, {}],
  ["the Pod is terminating", { terminating: true }, {}, {}],
  ["the Pod is Succeeded", { phase: "Succeeded", ready: false }, {}, {}],
  ["the Pod is Pending", { phase: "Pending", ready: false }, {}, {}],
  ["the Pod is not ready", { ready: false }, {}, {}],
  ["the Pod has no IPv6 address", {}, { addressFamily: "IPv6" }, {}],
  ["the Pod has no address", { ips: [] }, { addressFamily: "dual" }, {}],
])("of a Pod it is said why it gives no node: %j", (why, pod, about, chosen) => {
  const asked = [
    { ...ready, ...pod },
    { ...selection, ...chosen },
    { ...context, ...about },
  ] as const;
  expect(podRow.whyNoNodes(...asked)).toBe(why);
  expect(podRow.nodesOf(...asked).length === 0).toBe(why !== "");
});
