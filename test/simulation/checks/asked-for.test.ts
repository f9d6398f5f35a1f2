import { expect, it } from "vitest";
import { node } from "../../../src/sim/kubernetes/node.ts";
import { service } from "../../../src/sim/kubernetes/service.ts";
import type { ServiceOptions } from "../../../src/sim/kubernetes/service.ts";
import { expectedOf } from "../oracle/expected.ts";
import type { Meaning } from "../truth-history.ts";
import { isOffNodes } from "./asked-for.ts";

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
