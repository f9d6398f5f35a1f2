import type { FaultPlace, FrameFault, RequestFault } from "../../../src/sim/kubernetes/faults.ts";
import { proxyFault, statusFault, wrongListFault, wrongLists } from "../../../src/sim/kubernetes/faults.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { HeardKind, SimCluster } from "../sim-cluster.ts";
import { isWellKnown } from "../well-known.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { clusterOf } from "./pods.ts";

/** Not one draw more where there are only Pods. */
function kindOf({ heard }: SimCluster, random: SeededRandom): HeardKind {
  return heard.length === 1 ? "pods" : random.fork("kind").pick(heard);
}

function drawFault(kind: HeardKind, random: SeededRandom): readonly [string, RequestFault] {
  const code = random.pick([401, 403, 410, 429, 500, 503]);
  const wrong = random.pick(Object.keys(wrongLists) as (keyof typeof wrongLists)[]);
  return random.pick<readonly [string, RequestFault]>([
    [String(code), statusFault(code, code === 429 ? 1 : undefined)],
    ["HTML with 200", proxyFault(200)],
    ["HTML with 502", proxyFault(502)],
    ["reset", { type: "reset" }],
    ["cut off", { type: "truncate", bytes: random.int(3000), clean: random.chance(0.5) }],
    [`a wrong list: ${wrong}`, wrongListFault(kind, wrong)],
    ["slow", { type: "slow", ms: random.int(5000) }],
  ]);
}

/** Faults on some of the next requests, with a reason to make some. */
const failRequests: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const kind = kindOf(cluster, random);
  const verb = random.pick(["list", "watch"] as const);
  const place: FaultPlace = {
    resource: kind,
    verb,
    ...(verb === "list" && random.chance(0.6) ? { page: 1 + random.int(3) } : {}),
  };
  const [what, fault] = drawFault(kind, random);
  const times = 1 + random.int(4);
  cluster.api.faults.onRequest(place, fault, { times });
  if (random.chance(0.7)) cluster.forceRelist();
  return `${cluster.name}: the next ${times} ${verb} requests of ${kind}: ${what}`;
};

const cutWatches: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const isClean = random.chance(0.5);
  for (const kind of cluster.heard)
    for (const watch of cluster.api.traffic.openWatches(kind)) {
      if (isClean) watch.end();
      else watch.cut();
    }
  return `${cluster.name}: watches ${isClean ? "end" : "break"}`;
};

const expire: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  cluster.forceRelist();
  return `${cluster.name}: 410`;
};

const spoilFrames: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const fault = random.pick<FrameFault>([
    { type: "cut" },
    { type: "duplicate" },
    { type: "error" },
    { type: "error", code: 500 },
    { type: "text", text: "<html>no</html>\n" },
    // Not of a list that comes as a watch: no server leaves objects out there.
    cluster.api.faults.watchList === true ? { type: "cut" } : { type: "lose" },
  ]);
  const times = 1 + random.int(2);
  if (fault.type === "lose") cluster.isGarbled = true;
  const kind = kindOf(cluster, random);
  cluster.api.faults.onFrame({ resource: kind }, fault, { times });
  return `${cluster.name}: the next ${times} frames of ${kind}: ${fault.type}`;
};

function lasting(what: string, begin: (cluster: SimCluster) => () => void): Action {
  return (world, random) => {
    const cluster = clusterOf(world, random);
    const ms = random.pick([3000, 20_000, 45_000, 120_000]) * random.between(0.7, 1.3);
    const end = cluster.silence(() => begin(cluster));
    world.later(ms, () => {
      end();
      world.trace.say(cluster.name, `${what}: over`);
    });
    return `${cluster.name}: ${what} for ${(ms / 1000).toFixed(1)} s`;
  };
}

const unreachable = lasting("unreachable", (cluster) => cluster.cutOff());

const hang = lasting("open watches break, requests hang", (cluster) => {
  const end = cluster.api.faults.onRequest({}, { type: "hang" });
  for (const watch of cluster.api.traffic.openWatches()) watch.cut();
  return end;
});

const halfOpen = lasting("half-open", ({ api }) => api.faults.halfOpen());

const refuse: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const { access } = cluster.api;
  const kind = kindOf(cluster, random);
  const isToken = random.chance(0.5);
  if (isToken) access.tokens.delete(cluster.token);
  else access.forbidden.add(kind);
  for (const each of isToken ? cluster.heard : [kind])
    for (const watch of cluster.api.traffic.openWatches(each)) watch.cut();
  world.later(random.between(2000, 60_000), () => {
    access.tokens.add(cluster.token);
    access.forbidden.delete(kind);
  });
  return `${cluster.name}: answers ${isToken ? 401 : `403 to ${kind}`} for a while`;
};

/** Everything goes, watched or while nobody sees it. */
const emptied: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const gone = cluster.pods;
  const isSeen = random.chance(0.5);
  if (!isSeen) for (const watch of cluster.api.traffic.openWatches("pods")) watch.cut();
  for (const object of gone) cluster.store.remove("pods", objectKey(object));
  if (!isSeen) cluster.forceRelist();
  return `${cluster.name} is emptied: ${gone.length} Pods`;
};

/** Not where the Lease is: who leads would be another question there. */
export function isReplaceable(world: World, cluster: SimCluster): boolean {
  return !world.config.leader.enabled || world.config.leader.cluster !== cluster.name;
}

/** Another cluster answers under its name: empty, or as like as it can be. */
const impersonate: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  if (
    cluster.isImpostor ||
    cluster.rebuilt !== undefined ||
    !isWellKnown(world, cluster.name) ||
    !isReplaceable(world, cluster)
  )
    return undefined;
  const ms = random.pick([3000, 20_000, 60_000]) * random.between(0.7, 1.3);
  const isLike = random.chance(0.6);
  const end = cluster.impersonate(isLike ? random.some(cluster.pods, cluster.pods.length - 1) : []);
  world.later(ms, () => {
    end();
    world.trace.say(cluster.name, "is itself again");
  });
  return `${cluster.name}: ${isLike ? "another" : "an empty"} cluster answers for ${(ms / 1000).toFixed(1)} s`;
};

/** Writes of other kinds between a backup and its end: until so many are made anew, resourceVersions tell that it went back. */
const forgotten = 500;

/**
 * Kinds of which the translator hears changes, or means to: none of a cluster that is not configured, and Nodes once they
 * have been listed.
 */
function followedOf(
  { configuration, process, time }: World,
  { name, heard }: SimCluster,
): readonly HeardKind[] {
  if (!configuration.weights.has(name)) return [];
  const hasListedNodes = process?.lists.since(name, "node", time.now()) !== undefined;
  return heard.filter((kind) => kind !== "nodes" || hasListedNodes);
}

/** Its etcd goes back to a backup: the same identity, lower resourceVersions. */
const restore: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const { store } = cluster;
  if (!isReplaceable(world, cluster)) return undefined;
  const backup = store.backup();
  const ms = random.between(3000, 60_000);
  world.later(ms, () => {
    for (let left = forgotten; left > 0; left--) store.bumpNoise("namespaces", "default");
    // Whoever watches hears how far it was; whoever does not can miss that it ever went back.
    for (const kind of cluster.heard)
      for (const object of store.values(kind)) store.bumpNoise(kind, objectKey(object));
    if (cluster.isUnheardBy([]) || world.process?.gate.isFrozen !== false) cluster.isGarbled = true;
    const unwatched = followedOf(world, cluster).filter((kind) => cluster.isUnheardBy([kind]));
    world.later(1000, () => {
      // A watch that was opened since began with what was missed.
      if (unwatched.some((kind) => cluster.isUnheardBy([kind]))) cluster.isGarbled = true;
      world.trace.say(cluster.name, "is restored from its backup");
      store.restoreFromBackup(backup);
    });
  });
  return `${cluster.name}: a backup, which is restored in ${(ms / 1000).toFixed(1)} s`;
};

/** Who it is cannot be read, while all else can. */
const nameless: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const fault = random.pick<RequestFault>([statusFault(403), statusFault(500), proxyFault(200)]);
  const end = cluster.api.faults.onRequest({ resource: "namespaces", verb: "get" }, fault);
  if (random.chance(0.7)) cluster.forceRelist();
  const ms = random.between(2000, 60_000);
  world.later(ms, end);
  return `${cluster.name}: kube-system cannot be read for ${(ms / 1000).toFixed(1)} s`;
};

export const clusterActions = {
  failRequests: { weight: 5, run: failRequests },
  cutWatches: { weight: 3, run: cutWatches },
  expire: { weight: 3, run: expire },
  spoilFrames: { weight: 4, run: spoilFrames },
  unreachable: { weight: 3, run: unreachable },
  hang: { weight: 2, run: hang },
  halfOpen: { weight: 2, run: halfOpen },
  refuse: { weight: 2, run: refuse },
  impersonate: { weight: 2, run: impersonate },
  restore: { weight: 1, run: restore },
  nameless: { weight: 1, run: nameless },
  emptied: { weight: 0.7, run: emptied },
} as const satisfies Readonly<Record<string, ActionRow>>;
