import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import { withAnnotations, withLabels, withRoutes } from "../../../src/sim/kubernetes/object-changes.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { SimCluster } from "../sim-cluster.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { drawEntries, edits, entriesOf } from "./declarations.ts";
import { drawFrom } from "./draw-from.ts";
import { clusterOf, enabled, isEditable, isOn, namespaces, paused, routes } from "./pods.ts";
import {
  addService,
  drawConditions,
  drawEndpoint,
  endpointsOf,
  fill,
  inheritLabel,
  newSlice,
  slicesOf,
  viaSome,
} from "./services.ts";

const names = ["svc-0", "svc-1", "svc-2", "svc-3"];
const fleetHosts = ["a.example.com", "h.example.com", "i.example.com"];

const addOne: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const namespace = random.pick(namespaces);
  const name = random.pick(names);
  if (cluster.store.get("services", `${namespace}/${name}`) !== undefined) return undefined;
  const declared = viaSome(drawEntries(random), cluster, random);
  addService(world, cluster, random, { namespace, name, routes: declared });
  return `${cluster.name}: Service ${namespace}/${name} is created`;
};

/** The same Service in several clusters. */
const addFleetOne: Action = (world, random) => {
  const clusters = random.some([...world.clusters.values()], 2 + random.int(2));
  const namespace = random.pick(namespaces);
  const [first] = drawEntries(random);
  const name = `fleet-${random.int(2)}`;
  const entry = { host: random.pick(fleetHosts), ...first, name: "fleet", share: "fleet", hosts: undefined };
  for (const cluster of clusters) {
    if (cluster.store.get("services", `${namespace}/${name}`) !== undefined) continue;
    addService(world, cluster, random, { namespace, name, routes: viaSome([entry], cluster, random) });
  }
  const where = clusters.map((cluster) => cluster.name).join(", ");
  return `Service ${namespace}/${name} of the fleet is created in ${where}`;
};

type Change = (
  found: KubeObject,
  cluster: SimCluster,
  random: SeededRandom,
  world: World,
) => string | undefined;

function toService(run: Change, among: (object: KubeObject) => boolean = isOn): Action {
  return (world, random) => {
    const cluster = clusterOf(world, random);
    const found = random.maybe(cluster.services.filter(among));
    const what = found && run(found, cluster, random, world);
    return what && `${cluster.name}: Service ${objectKey(found)}: ${what}`;
  };
}

const editOne = toService((found, cluster, random) => {
  const entries = entriesOf(found.metadata.annotations?.[routes], random);
  const [what, text] = drawFrom(edits, random)[1].run(entries, random);
  cluster.store.update("services", withRoutes(found, text));
  return what;
}, isEditable);

const mendOne = toService((found, cluster, random) => {
  cluster.store.update("services", withRoutes(found, drawEntries(random)));
  return "annotation as new";
}, isEditable);

const relabelOne = toService(
  (found, cluster, random, world) => {
    cluster.store.update("services", withLabels(found, { [enabled]: isOn(found) ? null : "true" }));
    inheritLabel(world, cluster, random, found);
    return isOn(found) ? "label taken away" : "label put back";
  },
  () => true,
);

/** Not one of a fleet: of which addresses its part consists then, only what stands says. */
const pauseOne = toService((found, cluster) => {
  const { [paused]: is, [routes]: text = "" } = found.metadata.annotations ?? {};
  if (is !== "true" && text.includes("fleet")) return undefined;
  cluster.store.update("services", withAnnotations(found, { [paused]: is === "true" ? null : "true" }));
  return is === "true" ? "goes on" : "paused";
});

/** Its slices are collected a little later; sometimes it comes back under its name. */
const removeOne = toService(
  (found, cluster, random, world) => {
    const slices = slicesOf(cluster, found);
    const { namespace = "", name, annotations } = found.metadata;
    cluster.store.remove("services", objectKey(found));
    const collect = (): void => {
      for (const slice of slices) {
        const held = cluster.store.get("endpointslices", objectKey(slice));
        if (held?.metadata.uid === slice.metadata.uid)
          cluster.store.remove("endpointslices", objectKey(slice));
      }
    };
    world.later(random.between(0, 2000), collect);
    if (random.chance(0.6)) return "goes";
    world.later(random.between(100, 8000), () => {
      if (cluster.store.get("services", `${namespace}/${name}`) !== undefined) return;
      addService(world, cluster, random, { namespace, name, routes: annotations?.[routes] ?? "[]" });
    });
    return "goes and comes back";
  },
  () => true,
);

function toSlice(run: Change): Action {
  return (world, random) => {
    const cluster = clusterOf(world, random);
    const found = random.maybe(cluster.slices);
    const what = found && run(found, cluster, random, world);
    return what && `${cluster.name}: slice ${objectKey(found)}: ${what}`;
  };
}

const flipOne = toSlice((found, cluster, random) => {
  const { ip, nodeName } = random.maybe(endpointsOf(found)) ?? {};
  if (ip === undefined) return undefined;
  const conditions = drawConditions(random);
  const changed = { ip, ...conditions, ...(nodeName === undefined ? {} : { nodeName }) };
  fill(cluster, found, (all) => all.map((each) => (each.ip === ip ? changed : each)));
  return `${ip} ${JSON.stringify(conditions)}`;
});

const scale = toSlice((found, cluster, random) => {
  const count = 1 + random.int(2);
  if (random.chance(0.5)) {
    const more = Array.from({ length: count }, () => drawEndpoint(cluster, random));
    fill(cluster, found, (all) => [...all, ...more]);
    return `${count} more endpoints`;
  }
  fill(cluster, found, (all) => all.slice(count));
  return `${count} endpoints less`;
});

/** An endpoint moves to another slice of its Service: there first, or away first. */
const moveEndpoint = toSlice((found, cluster, random, world) => {
  const [endpoint] = endpointsOf(found);
  const service = found.metadata.labels?.["kubernetes.io/service-name"] ?? "";
  const { namespace = "" } = found.metadata;
  const other = random.maybe(
    slicesOf(cluster, { metadata: { namespace, name: service } } as KubeObject).filter(
      (slice) => slice.metadata.name !== found.metadata.name,
    ),
  );
  if (endpoint === undefined || other === undefined) return undefined;
  const leave = (): void => fill(cluster, found, (all) => all.filter(({ ip }) => ip !== endpoint.ip));
  const arrive = (): void => fill(cluster, other, (all) => [...all, endpoint]);
  const [first, second] = random.chance(0.5) ? [leave, arrive] : [arrive, leave];
  first();
  world.later(random.between(0, 20), second);
  return `${endpoint.ip} moves to ${objectKey(other)}`;
});

/** A slice goes; another with endpoints of its own comes in its place. */
const replaceSlice = toSlice((found, cluster, random, world) => {
  const { namespace = "", labels } = found.metadata;
  const service = labels?.["kubernetes.io/service-name"] ?? "";
  const size = random.int(4);
  cluster.store.remove("endpointslices", objectKey(found));
  world.later(random.between(0, 500), () =>
    cluster.store.create("endpointslices", newSlice(cluster, random, { namespace, service, size })),
  );
  return `is replaced by one of ${size}`;
});

const sliceNoise = toSlice((found, cluster) => {
  cluster.store.bumpNoise("endpointslices", objectKey(found));
  return "noise";
});

const emptyServices: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const { services, slices } = cluster;
  for (const object of services) cluster.store.remove("services", objectKey(object));
  for (const object of slices) cluster.store.remove("endpointslices", objectKey(object));
  return services.length === 0 ? undefined : `${cluster.name}: all ${services.length} Services go`;
};

export const serviceActions = {
  addOne: { weight: 6, run: addOne },
  addFleetOne: { weight: 3, run: addFleetOne },
  editOne: { weight: 6, run: editOne },
  mendOne: { weight: 3, run: mendOne },
  relabelOne: { weight: 2, run: relabelOne },
  pauseOne: { weight: 1, run: pauseOne },
  removeOne: { weight: 4, run: removeOne },
  flipOne: { weight: 8, run: flipOne },
  scale: { weight: 5, run: scale },
  moveEndpoint: { weight: 3, run: moveEndpoint },
  replaceSlice: { weight: 2, run: replaceSlice },
  sliceNoise: { weight: 1, run: sliceNoise },
  emptyServices: { weight: 0.5, run: emptyServices },
} as const satisfies Readonly<Record<string, ActionRow>>;
