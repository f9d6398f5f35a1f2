/** The clusters of a bench, in a process of their own. */
import { setTimeout as sleep } from "node:timers/promises";
import { startFleet, type Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { seededRandom } from "../statistics.ts";
import { sharedNow } from "./protocol.ts";
import { serve } from "./serve.ts";
import { cpuNow } from "./usage.ts";

export interface FleetSize {
  /** How many, named `cluster-1`, `cluster-2`, …, or their names. */
  readonly clusters: number | readonly string[];
  readonly podsPerCluster: number;
  /** Pods without our label, for the bare relay. */
  readonly relayPodsPerCluster: number;
}

export interface FleetCluster {
  readonly name: string;
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/** Which Pods flip: those that declare routes, or those that only the relay watches. */
export type Audience = "translator" | "relay";

/** `[key, at]`: the Pod as `cluster/namespace/name`, and when its frame was about to be written (shared clock). */
export type Flip = readonly [string, number];

export type FleetCommands = {
  readonly start: (size: FleetSize) => Promise<readonly FleetCluster[]>;
  /** Resolves once each cluster has this many open watches of Pods. */
  readonly watched: (watches: number) => Promise<void>;
  readonly flip: (audience: Audience, perSecond: number, seconds: number) => Promise<readonly Flip[]>;
  readonly flipOnce: (audience: Audience) => Flip;
  /** All API servers are gone for half of each period of so many milliseconds. */
  readonly flap: (period: number, seconds: number) => Promise<void>;
  /** As fast as it can, so many frames: `{frames, ms, cpu}`. */
  readonly flood: (frames: number) => Promise<Flood>;
  /** Ends the servers and takes their files away. */
  readonly close: () => Promise<void>;
};

export interface Flood {
  readonly frames: number;
  readonly ms: number;
  readonly cpu: number;
}

export const relayLabel = "bench/relay";
const token = "sim-token";
const namespaces = 20;

let fleet: Fleet | undefined;
const pods: Record<Audience, { readonly cluster: string; readonly key: string; ready: boolean }[]> = {
  translator: [],
  relay: [],
};
const cursor: Record<Audience, number> = { translator: 0, relay: 0 };
const random = seededRandom(3);

const commands: FleetCommands = {
  async start({ clusters, podsPerCluster, relayPodsPerCluster }) {
    fleet = await startFleet({ clusters, random });
    // Where instances elect their leader.
    fleet.clusters[0]?.store.create("namespaces", { metadata: { name: "apisix-translator" } });
    for (const { name } of fleet.clusters) {
      for (let index = 0; index < podsPerCluster; index++) addPod(name, index, "translator");
      for (let index = 0; index < relayPodsPerCluster; index++) addPod(name, index, "relay");
    }
    shuffle(pods.translator);
    shuffle(pods.relay);
    return fleet.clusters.map(({ name, server: { url, ca }, kubeconfigPath: kubeconfig }) => ({
      ...{ name, url, ca, token, kubeconfig },
    }));
  },

  async watched(watches) {
    await Promise.all(theFleet().clusters.map(({ server }) => server.traffic.whenWatching("pods", watches)));
  },

  async flip(audience, perSecond, seconds) {
    const flips: Flip[] = [];
    const begun = sharedNow();
    while (flips.length < perSecond * seconds) {
      const due = ((sharedNow() - begun) / 1000) * perSecond;
      // A late timer is made up for by and by: a burst would measure the burst.
      for (let behind = Math.min(2, due - flips.length); behind >= 1; behind--) flips.push(flipOne(audience));
      await sleep(1);
    }
    return flips;
  },

  flipOnce: flipOne,

  async flap(period, seconds) {
    const end = sharedNow() + seconds * 1000;
    const { clusters } = theFleet();
    while (sharedNow() < end) {
      await Promise.all(clusters.map(({ server }) => server.stop()));
      await sleep(period / 2);
      await Promise.all(clusters.map(({ server }) => server.start()));
      await sleep(period / 2);
    }
  },

  async flood(frames) {
    const begun = { at: sharedNow(), cpu: cpuNow() };
    for (let sent = 0; sent < frames; sent++) {
      flipOne("relay");
      if (sent % 20 === 19) await new Promise(setImmediate);
    }
    return { frames, ms: sharedNow() - begun.at, cpu: cpuNow() - begun.cpu };
  },

  close: async () => fleet?.close(),
};

function addPod(cluster: string, index: number, audience: Audience): void {
  const name = `${audience === "relay" ? "relay" : "web"}-${index}`;
  const namespace = `team-${index % namespaces}`;
  const host = `${name}.${cluster}.bench.example.com`;
  const created = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString().replace(".000", "");
  theFleet()
    .cluster(cluster)
    .store.create(
      "pods",
      pod({
        ...{ namespace, name, created },
        ...(audience === "relay"
          ? { labels: { [relayLabel]: "true" } }
          : { routes: [{ name: "web", port: 8080, host }] }),
      }),
    );
  pods[audience].push({ cluster, key: `${namespace}/${name}`, ready: true });
}

function flipOne(audience: Audience): Flip {
  const all = pods[audience];
  const one = all[cursor[audience]++ % all.length];
  if (one === undefined) throw new Error(`no Pods for the ${audience}`);
  one.ready = !one.ready;
  const at = sharedNow();
  theFleet()
    .cluster(one.cluster)
    .store.patch("pods", one.key, (object) => withReady(object, one.ready));
  return [`${one.cluster}/${one.key}`, at];
}

function theFleet(): Fleet {
  if (fleet === undefined) throw new Error("the fleet was not started");
  return fleet;
}

function shuffle(items: unknown[]): void {
  for (let left = items.length - 1; left > 0; left--) {
    const other = Math.floor(random() * (left + 1));
    [items[left], items[other]] = [items[other], items[left]];
  }
}

serve(commands);
