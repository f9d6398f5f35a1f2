import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import { allowedPlugins } from "../setup.ts";
import type { Action, ActionRow } from "./action.ts";
import { entriesOf } from "./declarations.ts";
import { objectActions } from "./object-actions.ts";
import { addPod, declare, editablePods, routes } from "./pods.ts";

/** What concerns several objects at once. */

const contestedHosts = ["t.example.com", "u.example.com"];

/** Who holds a host goes, and somebody of the same namespace in another cluster waits for it. */
const leaveToStranger: Action = (world, random) => {
  const [first, second] = random.some([...world.clusters.values()], 2);
  const found = random.maybe(
    editablePods(world).filter(
      ({ cluster, object }) => cluster === first && object.metadata.ownerReferences === undefined,
    ),
  );
  if (found === undefined || second === undefined) return undefined;
  const host = random.pick(contestedHosts);
  const text = JSON.stringify([{ name: "web", port: 8080, host }]);
  const { namespace = "" } = found.object.metadata;
  declare(world, found, text);
  const name = `next-${random.int(3)}`;
  world.later(random.between(3000, 6000), () => {
    if (second.store.get("pods", `${namespace}/${name}`) === undefined)
      addPod(second, { namespace, name, routes: text });
  });
  world.later(random.between(35_000, 45_000), () => {
    const key = objectKey(found.object);
    if (found.cluster.store.get("pods", key) !== undefined) found.cluster.store.remove("pods", key);
  });
  return `${found.key} has ${host}, ${second.name}/${namespace}/${name} waits for it, and it goes`;
};

/** What APISIX refuses, of several at once: none of them is to keep others from being written. */
const refuseMany: Action = (world, random) => {
  const some = random.some(editablePods(world), 4 + random.int(4));
  for (const each of some) {
    const entries = entriesOf(each.object.metadata.annotations?.[routes], random);
    const refused = entries.map((entry) => ({
      ...entry,
      plugins: { "limit-count": { count: 0, time_window: 60, key: "remote_addr" } },
    }));
    declare(world, each, JSON.stringify(refused));
  }
  return some.length === 0 ? undefined : `${some.length} Pods declare what APISIX refuses`;
};

/** Many ask for a host each while APISIX is slow, and a stranger takes one of them before its turn has come; a look finds that. */
const strangerInBurst: Action = (world, random) => {
  const some = random.some(editablePods(world), 4 + random.int(5));
  const last = some.at(-1);
  if (last === undefined) return undefined;
  const end = world.admin.faults.add({ fault: { kind: "delay", ms: 600, when: "before" }, methods: ["PUT"] });
  world.later(random.between(8000, 15_000), end);
  const hostOf = (index: number): string => `b${index}.example.com`;
  for (const [index, each] of some.entries())
    declare(world, each, JSON.stringify([{ name: "web", port: 8080, host: hostOf(index) }]));
  world.later(random.between(200, 2500), () => {
    const upstream = { type: "roundrobin", nodes: [{ host: "192.0.2.3", port: 80, weight: 1 }] };
    const host = hostOf(random.int(some.length));
    world.gateway.edit("PUT", "routes", "stranger-b", { uri: "/*", host, upstream });
    world.trace.say("people", `a stranger writes routes/stranger-b on ${host}`);
    world.operator.audit();
  });
  return `${some.length} Pods ask for a host each, and APISIX is slow`;
};

/** A shard is started anew while the configuration changes. */
const reconfigureAtStart: Action = (world, random) => {
  const { process } = world;
  if (process === undefined) return undefined;
  process.shardStart = 300;
  process.links.kill(random.int(world.setup.shards), "exit");
  const { policy } = world.configuration;
  const plugins = random.some(allowedPlugins, random.int(allowedPlugins.length + 1));
  world.later(random.between(0, 300), () => world.operator.configure({ policy: { ...policy, plugins } }));
  return `a shard dies, and plugins allowed are then: ${plugins.join(", ")}`;
};

/** Renewals are answered late, and then not at all, while there is something to write all the time. */
const renewLate: Action = (world, random) => {
  const { enabled, cluster, retryPeriod } = world.config.leader;
  const home = enabled ? world.clusters.get(cluster ?? "") : undefined;
  if (home === undefined) return undefined;
  const { faults } = home.api;
  const late = faults.onRequest(
    { resource: "leases", verb: "update" },
    { type: "slow", ms: retryPeriod * random.between(0.6, 0.95) },
  );
  const silentAfter = random.between(3000, 7000);
  world.later(silentAfter, () => {
    late();
    world.later(15_000, faults.onRequest({ resource: "leases" }, { type: "hang" }));
  });
  for (let at = 0; at < 15_000; at += 200)
    world.later(silentAfter + at, () => objectActions.flip.run(world, random));
  return `the Lease: answers are late, and after ${(silentAfter / 1000).toFixed(1)} s there are none`;
};

export const crowdActions = {
  leaveToStranger: { weight: 1, run: leaveToStranger },
  refuseMany: { weight: 1, run: refuseMany },
  renewLate: { weight: 1, run: renewLate },
  strangerInBurst: { weight: 1, run: strangerInBurst },
  reconfigureAtStart: { weight: 1, run: reconfigureAtStart },
} as const satisfies Readonly<Record<string, ActionRow>>;
