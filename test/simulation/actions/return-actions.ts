import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import type { Action, ActionRow } from "./action.ts";
import { addPod, clusterOf, isOn, routes } from "./pods.ts";

/** Many that go and come back again and again: each time counts before the guard. */

const flap: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const all = cluster.pods.filter((each) => isOn(each) && each.metadata.ownerReferences === undefined);
  const some = random.some(all, 2 + random.int(4));
  if (some.length === 0) return undefined;
  const go = (): void => {
    for (const each of some)
      if (cluster.store.get("pods", objectKey(each)) !== undefined)
        cluster.store.remove("pods", objectKey(each));
  };
  const comeBack = (): void => {
    for (const { metadata } of some) {
      const { namespace = "", name, annotations } = metadata;
      if (cluster.store.get("pods", `${namespace}/${name}`) !== undefined) continue;
      addPod(cluster, { namespace, name, routes: annotations?.[routes] ?? "[]" });
    }
  };
  const times = 2 + random.int(2);
  let at = 0;
  for (let left = times; left > 0; left--) {
    if (at === 0) go();
    else world.later(at, go);
    world.later(at + random.between(1500, 6000), comeBack);
    at += random.between(7000, 14_000);
  }
  return `${cluster.name}: ${some.length} Pods go and come back ${times} times`;
};

export const returnActions = {
  flap: { weight: 1, run: flap },
} as const satisfies Readonly<Record<string, ActionRow>>;
