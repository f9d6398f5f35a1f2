import { expect, it } from "vitest";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import type { ClusterTruth, Truth } from "../oracle/expected.ts";
import { expectedOf } from "../oracle/expected.ts";
import { nodesOf } from "../oracle/ownership.ts";
import { seenPart } from "./seen-part.ts";

const routes = [{ name: "web", port: 8080, host: "a.example.com", share: "fleet" }];
const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };

function clusterOf(name: string, known: boolean, ips: readonly string[]): ClusterTruth {
  const pods = ips.map((ip) => pod({ namespace: "shop", name: "web-0", ip, routes }));
  return { name, uid: name, pods, services: [], slices: [], nodes: undefined, weight: 100, known };
}

const node = (cluster: string, host: string) => ({
  ...{ host, port: 8080, weight: 100 },
  metadata: { cluster, name: "web-0" },
});

/** East is out of sight, and declares what has not been written; it gave 10.0.0.1 before. */
function truthOf(west: readonly string[]): Truth {
  const clusters = [clusterOf("east", false, ["10.0.0.2"]), clusterOf("west", true, west)];
  return { instance: "sim", policy, clusters };
}

const upstream = { nodes: [node("east", "10.0.0.1"), node("west", "10.1.0.1")] };
const [id = ""] = expectedOf(truthOf(["10.1.0.1"])).keys();

it("a cluster out of sight is asked neither for what it declares nor for what stands of it; the others are", () => {
  const seen = seenPart(id, upstream, truthOf(["10.1.0.1", "10.1.0.2"]));
  expect([...(seen?.group.nodes ?? [])]).toEqual([
    "10.1.0.1:8080 100 west/web-0",
    "10.1.0.2:8080 100 west/web-0",
  ]);
  expect(nodesOf(seen?.upstream ?? {})).toEqual([node("west", "10.1.0.1")]);
});

it("nothing is asked of a group that only the cluster out of sight declares", () => {
  expect(seenPart(id, upstream, truthOf([]))).toBeUndefined();
});
