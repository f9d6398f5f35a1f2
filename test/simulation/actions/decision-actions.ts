import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { isWellKnown } from "../well-known.ts";
import type { Action, ActionRow } from "./action.ts";
import { isReplaceable } from "./cluster-actions.ts";
import { mayLeave } from "./config-actions.ts";
import { clusterOf } from "./pods.ts";

/** What only an operator decides of a cluster: that it is gone for good, and that another one has its name now. */

/** Leaves the configuration; what stands for it is purged, once or again; sometimes it comes back, in the middle of it. */
const leaveForGood: Action = (world, random) => {
  const { weights } = world.configuration;
  const name = random.pick([...weights.keys()]);
  if (!mayLeave(world, name)) return undefined;
  world.operator.configure({ weights: new Map([...weights].filter(([other]) => other !== name)) });
  for (let left = 1 + random.int(2); left > 0; left--)
    world.later(random.between(0, 20_000), () => world.operator.begin(world.operator.purge(name)));
  if (random.chance(0.5)) world.later(random.between(500, 60_000), () => world.operator.addCluster(name));
  return `${name} leaves the configuration for good`;
};

/** Most of them are there again, as after a restore of manifests. */
function most<T extends KubeObject>(all: readonly T[], random: SeededRandom): T[] {
  return random.chance(0.3) ? [...all] : random.some(all, Math.ceil(all.length * random.next()));
}

/** Another cluster has the name; an operator says so later, while it can be asked or not. */
const rebuild: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const { name, pods, services, slices, nodes, isImpostor, rebuilt } = cluster;
  if (isImpostor || rebuilt !== undefined) return undefined;
  if (!isWellKnown(world, name) || !isReplaceable(world, cluster)) return undefined;
  const kept = most(pods, random);
  world.rebuild(
    cluster,
    new Map([
      ["pods", kept],
      ["services", most(services, random)],
      ["endpointslices", slices],
      ["nodes", nodes],
    ]),
  );
  const after = random.pick([0, 5000, 40_000]) * random.between(0.7, 1.3);
  world.later(after, () => world.operator.begin(world.operator.accept(name)));
  return `${name} is built anew with ${kept.length} of ${pods.length} Pods, and accepted after ${(after / 1000).toFixed(1)} s`;
};

export const decisionActions = {
  leaveForGood: { weight: 2, run: leaveForGood },
  rebuild: { weight: 2, run: rebuild },
} as const satisfies Readonly<Record<string, ActionRow>>;
