import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import { withRoutes } from "../../../src/sim/kubernetes/object-changes.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { SimCluster } from "../sim-cluster.ts";
import type { World } from "../world.ts";
import type { Action } from "./action.ts";
import type { Entry } from "./declarations.ts";

/** Pods of the simulated clusters, as actions find, make and change them. */

export const namespaces = ["shop", "team", "lab"];
export const enabled = "apisix-translator.io/enabled";
export const paused = "apisix-translator.io/paused";
export const routes = "apisix-translator.io/routes";

export function clusterOf(world: World, random: SeededRandom): SimCluster {
  return random.pick([...world.clusters.values()]);
}

interface NewPod {
  readonly namespace: string;
  readonly name: string;
  readonly routes: readonly Entry[] | string;
  readonly owner?: string;
  readonly ready?: boolean;
}

export function addPod(cluster: SimCluster, options: NewPod): KubeObject {
  const ports = [{ name: "http", containerPort: 8080 }];
  const made = pod({ ...options, ip: cluster.newAddress(), ports });
  return cluster.store.apply("pods", made);
}

/** Whether it is to be followed at all. */
export function isOn({ metadata }: KubeObject): boolean {
  return metadata.labels?.[enabled] === "true";
}

/**
 * Whose annotation is edited. Not of what is paused: what such an edit means after a restart, only memory could say.
 */
export function isEditable(object: KubeObject): boolean {
  return isOn(object) && object.metadata.annotations?.[paused] !== "true";
}

/** A Pod whose annotation may be edited, now or later. */
export interface EditablePod {
  readonly cluster: SimCluster;
  /** `cluster/namespace/name`. */
  readonly key: string;
  readonly object: KubeObject;
  readonly text: string;
}

export function editablePods(world: World): EditablePod[] {
  return [...world.clusters.values()].flatMap((cluster) =>
    cluster.pods.filter(isEditable).map((object) => ({
      ...{ cluster, object, key: `${cluster.name}/${objectKey(object)}` },
      text: object.metadata.annotations?.[routes] ?? "[]",
    })),
  );
}

/** Gives the Pod this annotation, if it still may be edited. */
export function declare(world: World, { cluster, object, key }: EditablePod, text: string): void {
  const found = cluster.store.get("pods", objectKey(object));
  if (found === undefined || !isEditable(found)) return;
  world.trace.say("people", `${key}: ${text}`);
  cluster.store.update("pods", withRoutes(found, text));
}

export function change(
  run: (
    found: KubeObject,
    cluster: SimCluster,
    random: SeededRandom,
    world: World,
  ) => readonly [string, KubeObject],
  among: (object: KubeObject) => boolean = isOn,
): Action {
  return (world, random) => {
    const cluster = clusterOf(world, random);
    const found = random.maybe(cluster.pods.filter(among));
    if (found === undefined) return undefined;
    const [what, changed] = run(found, cluster, random, world);
    cluster.store.update("pods", changed);
    return `${cluster.name}/${objectKey(found)}: ${what}`;
  };
}
