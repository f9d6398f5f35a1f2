import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import {
  withAnnotations,
  withDeletion,
  withLabels,
  withRoutes,
} from "../../../src/sim/kubernetes/object-changes.ts";
import { withPhase, withReady } from "../../../src/sim/kubernetes/pod.ts";
import type { SimCluster } from "../sim-cluster.ts";
import type { Action, ActionRow } from "./action.ts";
import { drawEntries, edits, entriesOf } from "./declarations.ts";
import { drawFrom } from "./draw-from.ts";
import {
  addPod,
  change,
  clusterOf,
  declare,
  editablePods,
  enabled,
  isEditable,
  isOn,
  namespaces,
  paused,
  routes,
} from "./pods.ts";

const fleetHosts = ["a.example.com", "f.example.com", "g.example.com"];

function isReady({ status }: KubeObject): boolean {
  const { conditions } = status as { conditions: readonly { type: string; status: string }[] };
  return conditions.some(({ type, status: is }) => type === "Ready" && is === "True");
}

const addSingle: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const namespace = random.pick(namespaces);
  const name = `single-${random.int(7)}`;
  if (cluster.store.get("pods", `${namespace}/${name}`) !== undefined) return undefined;
  addPod(cluster, { namespace, name, routes: drawEntries(random), ready: random.chance(0.8) });
  return `${cluster.name}/${namespace}/${name} is created`;
};

const addDeployment: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const namespace = random.pick(namespaces);
  const owner = `app${random.int(3)}-${random.int(1000)}`;
  const declared = drawEntries(random);
  const count = 1 + random.int(3);
  for (let index = 0; index < count; index++)
    addPod(cluster, { namespace, name: `${owner}-${index}`, owner, routes: declared });
  return `${cluster.name}/${namespace}/${owner}: ${count} Pods`;
};

/** The same route in several clusters, whose Pods are its nodes together; sometimes they do not agree. */
const addFleet: Action = (world, random) => {
  const clusters = random.some([...world.clusters.values()], 2 + random.int(2));
  const namespace = random.pick(namespaces);
  const [first] = drawEntries(random);
  const name = `fleet-${random.int(3)}`;
  const entry = { host: random.pick(fleetHosts), ...first, name: "fleet", share: "fleet", hosts: undefined };
  for (const cluster of clusters) {
    if (cluster.store.get("pods", `${namespace}/${name}`) !== undefined) continue;
    const own = random.chance(0.8) ? entry : { ...entry, priority: random.int(5) };
    addPod(cluster, { namespace, name, routes: [own] });
  }
  return `${namespace}/${name} of the fleet is created in ${clusters.map((cluster) => cluster.name).join(", ")}`;
};

const flip = change((found) => {
  const ready = !isReady(found);
  return [ready ? "ready" : "not ready", withReady(found, ready)];
});

const edit = change((found, _cluster, random) => {
  const entries = entriesOf(found.metadata.annotations?.[routes], random);
  const [what, text] = drawFrom(edits, random)[1].run(entries, random);
  return [what, withRoutes(found, text)];
}, isEditable);

const mend = change(
  (found, _cluster, random) => ["annotation as new", withRoutes(found, drawEntries(random))],
  isEditable,
);

const relabel = change(
  (found) =>
    isOn(found)
      ? ["label taken away", withLabels(found, { [enabled]: null })]
      : ["label put back", withLabels(found, { [enabled]: "true" })],
  () => true,
);

const pause = change((found) =>
  found.metadata.annotations?.[paused] === "true"
    ? ["goes on", withAnnotations(found, { [paused]: null })]
    : ["paused", withAnnotations(found, { [paused]: "true" })],
);

const finish = change((found, _cluster, random) => {
  const phase = random.pick(["Succeeded", "Failed"] as const);
  return [phase, withPhase(found, phase)];
});

const noise: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const found = random.maybe(cluster.pods);
  if (found === undefined) return undefined;
  cluster.store.bumpNoise("pods", objectKey(found));
  return `${cluster.name}/${objectKey(found)}: noise`;
};

/** At once, or terminating first; sometimes it comes back under its name. */
const remove: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const found = random.maybe(cluster.pods);
  if (found === undefined) return undefined;
  const key = objectKey(found);
  const { store } = cluster;
  const grace = random.chance(0.5) ? random.between(500, 5000) : 0;
  if (grace > 0) store.patch("pods", key, (object) => withDeletion(object, world.time.wall()));
  const back = random.chance(0.4) ? random.between(100, 8000) : 0;
  const isSame = (): boolean => store.get("pods", key)?.metadata.uid === found.metadata.uid;
  const goes = (): void => {
    if (isSame()) store.remove("pods", key);
    if (back > 0) world.later(back, () => comeBack(cluster, found));
  };
  if (grace > 0) world.later(grace, goes);
  else goes();
  return `${cluster.name}/${key} goes${back > 0 ? " and comes back" : ""}`;
};

function comeBack(cluster: SimCluster, { metadata }: KubeObject): void {
  const { namespace = "", name, annotations } = metadata;
  if (cluster.store.get("pods", `${namespace}/${name}`) !== undefined || !isOn({ metadata })) return;
  addPod(cluster, { namespace, name, routes: annotations?.[routes] ?? "[]" });
}

/** Two objects exchange what they declare. */
const swap: Action = (world, random) => {
  const [one, other] = random.some(editablePods(world), 2);
  if (one === undefined || other === undefined) return undefined;
  declare(world, one, other.text);
  declare(world, other, one.text);
  return `${one.key} and ${other.key} swap`;
};

/** A rollout that edits the annotation: every Pod of a controller, one after the other. */
const rollOut: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const owned = cluster.pods.filter(
    (object) => object.metadata.ownerReferences !== undefined && isOn(object),
  );
  const one = random.maybe(owned);
  const owner = one?.metadata.ownerReferences?.[0]?.name;
  if (one === undefined || owner === undefined) return undefined;
  const entries = entriesOf(one.metadata.annotations?.[routes], random);
  const [what, text] = drawFrom(edits, random)[1].run(entries, random);
  const old = owned.filter((object) => object.metadata.ownerReferences?.[0]?.name === owner);
  const next = `${owner.split("-")[0]}-${random.int(1000)}`;
  old.forEach((object, index) => {
    const { namespace = "" } = object.metadata;
    world.later(index * 800, () =>
      addPod(cluster, { namespace, name: `${next}-${index}`, owner: next, routes: text }),
    );
    world.later(index * 800 + 400, () => {
      const key = objectKey(object);
      if (cluster.store.get("pods", key)?.metadata.uid === object.metadata.uid)
        cluster.store.remove("pods", key);
    });
  });
  return `${cluster.name}/${owner} is rolled out: ${what}`;
};

const emptyNamespace: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const namespace = random.pick(namespaces);
  const gone = cluster.pods.filter(({ metadata }) => metadata.namespace === namespace);
  for (const object of gone) cluster.store.remove("pods", objectKey(object));
  return gone.length === 0 ? undefined : `${cluster.name}/${namespace} is deleted: ${gone.length} Pods`;
};

export const objectActions = {
  addSingle: { weight: 7, run: addSingle },
  addDeployment: { weight: 4, run: addDeployment },
  addFleet: { weight: 4, run: addFleet },
  flip: { weight: 10, run: flip },
  edit: { weight: 10, run: edit },
  mend: { weight: 4, run: mend },
  relabel: { weight: 3, run: relabel },
  pause: { weight: 2, run: pause },
  finish: { weight: 1, run: finish },
  noise: { weight: 3, run: noise },
  remove: { weight: 7, run: remove },
  swap: { weight: 3, run: swap },
  rollOut: { weight: 3, run: rollOut },
  emptyNamespace: { weight: 1, run: emptyNamespace },
} as const satisfies Readonly<Record<string, ActionRow>>;
