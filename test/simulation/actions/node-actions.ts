import { node } from "../../../src/sim/kubernetes/node.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import { withLabels, withRoutes } from "../../../src/sim/kubernetes/object-changes.ts";
import { exclusionLabel } from "../oracle/host-nodes.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { SimCluster } from "../sim-cluster.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { entriesOf } from "./declarations.ts";
import { clusterOf, isEditable, routes } from "./pods.ts";
import { nodeNames } from "./services.ts";

/** Nodes of the simulated clusters, and Services whose traffic comes by way of them. */

function addNode(cluster: SimCluster, name: string): void {
  cluster.store.create("nodes", node({ name, internalIPs: [cluster.newNodeAddress()] }));
}

/** Before the translator starts. */
export function populateNodes(world: World): void {
  const { nodes } = world.setup;
  if (nodes === undefined) return;
  for (const cluster of world.clusters.values()) {
    cluster.hasNodes = true;
    for (const name of nodeNames.slice(0, nodes)) addNode(cluster, name);
    world.changed(cluster);
  }
}

const comes: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const name = random.pick(nodeNames);
  if (cluster.store.get("nodes", name) !== undefined) return undefined;
  addNode(cluster, name);
  return `${cluster.name}: Node ${name} comes`;
};

function toNode(run: (found: KubeObject, cluster: SimCluster, random: SeededRandom) => string): Action {
  return (world, random) => {
    const cluster = clusterOf(world, random);
    const found = random.maybe(cluster.nodes);
    return found && `${cluster.name}: Node ${found.metadata.name} ${run(found, cluster, random)}`;
  };
}

const goes = toNode((found, { store }) => {
  store.remove("nodes", objectKey(found));
  return "goes";
});

const exclude = toNode((found, { store }) => {
  const isExcluded = found.metadata.labels?.[exclusionLabel] !== undefined;
  store.update("nodes", withLabels(found, { [exclusionLabel]: isExcluded ? null : "true" }));
  return isExcluded ? "takes traffic again" : "is excluded";
});

const readdress = toNode((found, cluster) => {
  const { name, labels = {} } = found.metadata;
  cluster.store.update("nodes", node({ name, labels, internalIPs: [cluster.newNodeAddress()] }));
  return "has another address";
});

/** Heartbeats, and a Node that is not Ready any more: neither means anything. */
const beat = toNode((found, { store }, random) => {
  if (random.chance(0.5)) {
    store.bumpNoise("nodes", objectKey(found));
    return "beats";
  }
  const { conditions, ...status } = found.status as { conditions: readonly { type: string }[] };
  const turned = conditions.map((each) => (each.type === "Ready" ? { ...each, status: "Unknown" } : each));
  store.update("nodes", { ...found, status: { ...status, conditions: turned } });
  return "is not Ready";
});

const allGo: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const { nodes } = cluster;
  for (const each of nodes) cluster.store.remove("nodes", objectKey(each));
  world.later(random.between(100, 20_000), () => {
    for (const name of nodeNames.slice(0, nodes.length))
      if (cluster.store.get("nodes", name) === undefined) addNode(cluster, name);
  });
  return nodes.length === 0 ? undefined : `${cluster.name}: all ${nodes.length} Nodes go, and come back`;
};

function toService(run: (found: KubeObject, cluster: SimCluster, random: SeededRandom) => string): Action {
  return (world, random) => {
    const cluster = clusterOf(world, random);
    const found = random.maybe(cluster.services.filter(isEditable));
    return found && `${cluster.name}: Service ${objectKey(found)}: ${run(found, cluster, random)}`;
  };
}

/** What it declares goes by way of Nodes from now on, or of endpoints. */
const turn = toService((found, { store }, random) => {
  const entries = entriesOf(found.metadata.annotations?.[routes], random);
  const isOnNodes = entries[0]?.["via"] === "nodePort";
  const turned = entries.map((entry) => ({ ...entry, via: isOnNodes ? "endpoint" : "nodePort" }));
  store.update("services", withRoutes(found, turned));
  return isOnNodes ? "by endpoints" : "by Nodes";
});

/** Other node ports, none any more, or another traffic policy. */
const reopen = toService((found, { store }, random) => {
  const { ports, ...spec } = found.spec as { ports: readonly { nodePort?: number; port: number }[] };
  const isClosed = random.chance(0.2);
  const first = 30_000 + random.int(3) * 10;
  const next = isClosed
    ? { type: "ClusterIP", externalTrafficPolicy: undefined }
    : { type: "NodePort", externalTrafficPolicy: random.pick(["Cluster", "Local"]) };
  const opened = ports.map(({ nodePort: _nodePort, ...port }, index) =>
    isClosed ? port : { ...port, nodePort: first + index },
  );
  store.update("services", { ...found, spec: { ...spec, ...next, ports: opened } });
  return `ports ${JSON.stringify(opened.map((port) => ("nodePort" in port ? port.nodePort : "closed")))} ${next.externalTrafficPolicy}`;
});

export const nodeActions = {
  nodeComes: { weight: 4, run: comes },
  nodeGoes: { weight: 3, run: goes },
  nodeExcluded: { weight: 2, run: exclude },
  nodeReaddressed: { weight: 2, run: readdress },
  nodeBeats: { weight: 2, run: beat },
  allNodesGo: { weight: 0.5, run: allGo },
  turnService: { weight: 4, run: turn },
  reopenService: { weight: 2, run: reopen },
} as const satisfies Readonly<Record<string, ActionRow>>;
