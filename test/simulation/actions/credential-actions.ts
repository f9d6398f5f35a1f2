import type { Access } from "../kubeconfig.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { isWellKnown } from "../well-known.ts";
import type { SimCluster } from "../sim-cluster.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { clusterOf } from "./pods.ts";

/** What becomes of the kubeconfigs and tokens with which clusters are watched. */

/** The file is written anew under its path, or the configuration names another file. */
function put(world: World, cluster: SimCluster, random: SeededRandom, access: Access): string {
  const isNamed = random.chance(0.3);
  cluster.kubeconfig.write(access, isNamed);
  if (!isNamed) return "its kubeconfig is written anew";
  world.operator.nameKubeconfig(cluster.name);
  return "another kubeconfig is named";
}

/** The old token is refused from then on; what it has opened goes on, or not. */
function revoke(cluster: SimCluster, token: string, random: SeededRandom): void {
  cluster.api.access.tokens.delete(token);
  if (random.chance(0.5)) return;
  for (const kind of cluster.heard) for (const watch of cluster.api.traffic.openWatches(kind)) watch.cut();
}

const rotate: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const old = cluster.token;
  const token = cluster.newToken();
  const what = put(world, cluster, random, { type: "token", token, cluster });
  const after = random.pick([0, 500, 5000, 60_000]) * random.between(0.7, 1.3);
  world.later(after, () => revoke(cluster, old, random));
  return `${cluster.name}: ${what}, good; the old token ends after ${(after / 1000).toFixed(1)} s`;
};

/** Out of use before anybody has been given another. */
const expireToken: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const old = cluster.token;
  cluster.newToken();
  revoke(cluster, old, random);
  const after = random.pick([1000, 20_000, 60_000]) * random.between(0.7, 1.3);
  world.later(after, () => {
    const what = put(world, cluster, random, { type: "token", token: cluster.token, cluster });
    world.trace.say(cluster.name, `${what}: the token is good again`);
  });
  return `${cluster.name}: its token is refused for ${(after / 1000).toFixed(1)} s`;
};

/** Undefined: it would not be told from what the name may stand for. */
function drawBad(
  world: World,
  cluster: SimCluster,
  random: SeededRandom,
): readonly [string, Access] | undefined {
  const other = random.pick([...world.clusters.values()]);
  const sort = random.pick(["unreadable", "token", "cluster"] as const);
  if (sort === "unreadable") return ["unreadable", { type: "unreadable" }];
  if (sort === "token") return ["a token that nobody accepts", { type: "token", token: "none", cluster }];
  if (other === cluster || !isWellKnown(world, cluster.name)) return undefined;
  return [`that of ${other.name}`, { type: "token", token: other.token, cluster: other }];
}

/** Nobody who is at work needs it; whoever starts meanwhile does. */
const mistake: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const bad = drawBad(world, cluster, random);
  if (bad === undefined) return undefined;
  const [what, access] = bad;
  const how = put(world, cluster, random, access);
  const ms = random.pick([1000, 20_000, 90_000]) * random.between(0.7, 1.3);
  world.later(ms, () => {
    if (cluster.kubeconfig.access !== access) return;
    put(world, cluster, random, { type: "token", token: cluster.token, cluster });
    world.trace.say(cluster.name, "its kubeconfig is mended");
  });
  return `${cluster.name}: ${how}, ${what}, for ${(ms / 1000).toFixed(1)} s`;
};

export const credentialActions = {
  rotate: { weight: 4, run: rotate },
  expireToken: { weight: 2, run: expireToken },
  mistake: { weight: 4, run: mistake },
} as const satisfies Readonly<Record<string, ActionRow>>;
