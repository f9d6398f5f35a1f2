import { endpointSlice, withEndpoints } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import type { SliceEndpoint } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import { withLabels } from "../../../src/sim/kubernetes/object-changes.ts";
import { service } from "../../../src/sim/kubernetes/service.ts";
import type { ServiceOptions } from "../../../src/sim/kubernetes/service.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { SimCluster } from "../sim-cluster.ts";
import type { World } from "../world.ts";
import type { Entry } from "./declarations.ts";
import { enabled, isOn } from "./pods.ts";

/** Services of the simulated clusters and what the EndpointSlice controller makes of them. */

/** Every Service has both, and so has every slice: what a declaration names leads to the same port everywhere. */
const ports = [
  { name: "http", port: 8080 },
  { name: "alt", port: 9090 },
];

/** Not all of them need be there. */
export const nodeNames = ["node-0", "node-1", "node-2", "node-3", "node-4"];

const serviceLabel = "kubernetes.io/service-name";

interface NewService {
  readonly namespace: string;
  readonly name: string;
  readonly routes: readonly Entry[] | string;
}

/** A Service, and its slices: before it, with it, or a little later. */
export function addService(world: World, cluster: SimCluster, random: SeededRandom, given: NewService): void {
  const { namespace, name } = given;
  const sizes = Array.from({ length: 1 + random.int(2) }, () => random.int(4));
  const addSlices = (): void => {
    for (const size of sizes)
      cluster.store.create("endpointslices", newSlice(cluster, random, { namespace, service: name, size }));
  };
  const order = random.next();
  if (order < 0.3) addSlices();
  cluster.store.apply("services", service({ ...given, ...outside(cluster, random, `${namespace}/${name}`) }));
  if (order >= 0.6) world.later(random.between(0, 400), addSlices);
  else if (order >= 0.3) addSlices();
}

/** Its ports, and whether they are open on Nodes: only where something may rest on those. */
function outside(
  { name: cluster, hasNodes }: SimCluster,
  random: SeededRandom,
  key: string,
): Pick<ServiceOptions, "ports" | "type" | "externalTrafficPolicy"> {
  const chance = random.fork(`outside ${cluster}/${key}`);
  if (!hasNodes || chance.chance(0.15)) return { ports };
  return {
    ports: ports.map((port, index) => ({ ...port, nodePort: 30_080 + index })),
    type: "NodePort",
    externalTrafficPolicy: chance.pick(["Cluster", "Cluster", "Local"]),
  };
}

/** What is declared, by way of Nodes now and then. */
export function viaSome(entries: readonly Entry[], cluster: SimCluster, random: SeededRandom): Entry[] {
  if (!cluster.hasNodes || random.fork("via").chance(0.4)) return [...entries];
  return entries.map((entry) => ({ ...entry, via: "nodePort" }));
}

export function newSlice(
  cluster: SimCluster,
  random: SeededRandom,
  { namespace, service: of, size }: { namespace: string; service: string; size: number },
): KubeObject {
  const endpoints = Array.from({ length: size }, () => drawEndpoint(cluster, random));
  let name = `${of}-${random.int(100_000)}`;
  while (cluster.store.get("endpointslices", `${namespace}/${name}`) !== undefined) name += "0";
  const isEnabled = cluster.store.get("services", `${namespace}/${of}`);
  return endpointSlice({
    ...{ namespace, name, service: of, endpoints, ports },
    enabled: isEnabled === undefined || isOn(isEnabled),
  });
}

export function drawEndpoint(cluster: SimCluster, random: SeededRandom): SliceEndpoint {
  const ip = cluster.newEndpointAddress();
  const place = cluster.hasNodes ? { nodeName: random.fork(`node of ${ip}`).pick(nodeNames) } : {};
  return { ip, ...place, ...drawConditions(random) };
}

/** Absent conditions mean what their defaults say. */
export function drawConditions(random: SeededRandom): Omit<SliceEndpoint, "ip"> {
  return random.pick<Omit<SliceEndpoint, "ip">>([
    { ready: true, serving: true, terminating: false },
    { ready: true, serving: true, terminating: false },
    {},
    { ready: false, serving: false, terminating: false },
    { ready: false, serving: true, terminating: true },
  ]);
}

export function slicesOf(cluster: SimCluster, { metadata }: KubeObject): KubeObject[] {
  return cluster.slices.filter(
    (slice) =>
      slice.metadata.labels?.[serviceLabel] === metadata.name &&
      slice.metadata.namespace === metadata.namespace,
  );
}

export function endpointsOf(slice: KubeObject): SliceEndpoint[] {
  const { endpoints } = slice as unknown as {
    endpoints: readonly {
      addresses: readonly string[];
      nodeName?: string;
      conditions: Omit<SliceEndpoint, "ip">;
    }[];
  };
  return endpoints.map(({ addresses: [ip = ""], nodeName, conditions }) => ({
    ...{ ip, ...conditions },
    ...(nodeName === undefined ? {} : { nodeName }),
  }));
}

/** The slice, if it is still there, with other endpoints. */
export function fill(
  cluster: SimCluster,
  slice: KubeObject,
  change: (endpoints: readonly SliceEndpoint[]) => readonly SliceEndpoint[],
): void {
  const found = cluster.store.get("endpointslices", objectKey(slice));
  if (found === undefined) return;
  cluster.store.update("endpointslices", withEndpoints(found, change(endpointsOf(found))));
}

/** Slices inherit the label of their Service a moment later. */
export function inheritLabel(world: World, cluster: SimCluster, random: SeededRandom, of: KubeObject): void {
  world.later(random.between(0, 300), () => {
    const found = cluster.store.get("services", objectKey(of));
    if (found === undefined) return;
    for (const slice of slicesOf(cluster, of))
      if (isOn(slice) !== isOn(found))
        cluster.store.update("endpointslices", withLabels(slice, { [enabled]: isOn(found) ? "true" : null }));
  });
}
