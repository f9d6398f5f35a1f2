/** The clusters of a load, in a process of their own: real HTTPS, frames out of templates at a set rate. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LoadCluster, templatesOf, type LoadKind, type LoadSize } from "../load/load-cluster.ts";
import { LoadServer } from "../load/load-server.ts";
import { seededRandom } from "../statistics.ts";
import { sharedNow } from "./protocol.ts";
import { serve } from "./serve.ts";
import { cpuNow, usageNow } from "./usage.ts";

export interface LoadedCluster {
  readonly name: string;
  readonly url: string;
  readonly ca: string;
  readonly kubeconfig: string;
}

/** Events a second, of each sort. */
export interface Churn {
  /** Only resourceVersion and a time move: half of them on slices, a fifth each on Pods and Nodes, a tenth on Services. */
  readonly noise: number;
  /** Another endpoint of a slice is not ready. */
  readonly changes: number;
  /** A route's priority changes. */
  readonly routes?: number;
  /** Changes of one and the same slice, as in a rollout. */
  readonly rollout?: number;
  readonly seconds: number;
}

export interface Churned {
  /** Of changes and rollout, three numbers each: the Service's number, the endpoint that is not ready now, the moment. */
  readonly changes: Float64Array;
  /** Moments of changes of routes. */
  readonly routes: Float64Array;
  readonly events: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly cpu: number;
}

export type LoadCommands = {
  readonly start: (size: LoadSize, isJson?: boolean) => Promise<readonly LoadedCluster[]>;
  /** Resolves once every kind of every cluster that holds anything is watched. */
  readonly watched: () => Promise<void>;
  readonly churn: (churn: Churn) => Promise<Churned>;
  /** Frames as fast as they can be written: its own limit. */
  readonly flood: (seconds: number) => Promise<Churned>;
  readonly used: () => { readonly cpu: number; readonly rss: number };
  readonly close: () => void;
};

const folder = mkdtempSync(path.join(tmpdir(), "apisix-translator-load-"));
const random = seededRandom(5);
let clusters: readonly LoadCluster[] = [];
let servers: readonly LoadServer[] = [];

const commands: LoadCommands = {
  async start(size, isJson = false) {
    const templates = templatesOf(size);
    clusters = Array.from({ length: size.clusters }, (_, index) => new LoadCluster(index, size, templates));
    servers = await Promise.all(clusters.map((cluster) => LoadServer.start(cluster, isJson)));
    return servers.map((server) => {
      const kubeconfig = path.join(folder, `${server.name}.kubeconfig`);
      writeFileSync(kubeconfig, server.kubeconfig, { mode: 0o600 });
      return { name: server.name, url: server.url, ca: server.ca, kubeconfig };
    });
  },

  async watched() {
    const kinds = (["services", "endpointslices", "pods", "nodes"] as const).filter(
      (kind) => (clusters[0]?.count(kind) ?? 0) > 0,
    );
    while (!servers.every((server) => kinds.every((kind) => server.isWatched(kind)))) await sleep(20);
  },

  async churn({ noise, changes, routes = 0, rollout = 0, seconds }) {
    const made: number[] = [];
    const routed: number[] = [];
    const sorts = [
      { rate: noise, emit: makeNoise },
      { rate: changes, emit: () => made.push(...change(pick())) },
      { rate: routes, emit: () => routed.push(reroute()) },
      { rate: rollout, emit: () => made.push(...change({ cluster: 0, index: 0 })) },
    ].map((sort) => ({ ...sort, sent: 0 }));
    const begun = { at: sharedNow(), cpu: cpuNow() };
    const isDue = (): boolean => sorts.some(({ rate, sent }) => sent < rate * seconds);
    while (isDue()) {
      const passed = (sharedNow() - begun.at) / 1000;
      for (const sort of sorts) {
        const due = Math.min(sort.rate * seconds, passed * sort.rate);
        // A late timer is made up for by and by: a burst would measure the burst.
        const most = Math.max(1, Math.ceil(sort.rate / 500));
        for (let left = Math.min(most, Math.floor(due - sort.sent)); left > 0; left--) {
          sort.sent++;
          sort.emit();
        }
      }
      await sleep(1);
    }
    const events = sorts.reduce((sum, { sent }) => sum + sent, 0);
    return { ...churned(made, events, begun), routes: Float64Array.from(routed) };
  },

  async flood(seconds) {
    const begun = { at: sharedNow(), cpu: cpuNow() };
    let events = 0;
    while (sharedNow() - begun.at < seconds * 1000) {
      for (let left = 50; left > 0; left--) makeNoise();
      events += 50;
      await new Promise(setImmediate);
    }
    return churned([], events, begun);
  },

  used: () => ({ cpu: cpuNow(), rss: usageNow().rss }),

  close() {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  },
};

interface Picked {
  readonly cluster: number;
  readonly index: number;
}

function churned(made: readonly number[], events: number, begun: { at: number; cpu: number }): Churned {
  const seconds = (sharedNow() - begun.at) / 1000;
  const [changes, routes] = [Float64Array.from(made), new Float64Array()];
  return { changes, routes, events, seconds, cpu: cpuNow() - begun.cpu };
}

function pick(kind: LoadKind = "endpointslices"): Picked {
  const cluster = Math.floor(random() * clusters.length);
  return { cluster, index: Math.floor(random() * (clusters[cluster]?.count(kind) ?? 0)) };
}

function makeNoise(): void {
  const chance = random();
  const kind = noiseKind(chance);
  const { cluster, index } = pick(kind);
  clusters[cluster]?.touch(kind, index);
  servers[cluster]?.tell(kind, index);
}

function noiseKind(chance: number): LoadKind {
  const [first] = clusters;
  if (chance < 0.2 && (first?.count("pods") ?? 0) > 0) return "pods";
  if (chance >= 0.2 && chance < 0.4 && (first?.count("nodes") ?? 0) > 0) return "nodes";
  return chance >= 0.9 ? "services" : "endpointslices";
}

function change({ cluster, index }: Picked): [number: number, missing: number, at: number] {
  const at = sharedNow();
  const missing = clusters[cluster]?.flip(index) ?? 0;
  servers[cluster]?.tell("endpointslices", index);
  return [clusters[cluster]?.numberOf(index) ?? 0, missing, at];
}

function reroute(): number {
  const { cluster, index } = pick();
  const at = sharedNow();
  clusters[cluster]?.reroute(index);
  servers[cluster]?.tell("services", index);
  return at;
}

serve(commands);
