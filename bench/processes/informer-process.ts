/** Watches the EndpointSlices of one cluster, over TLS, as client-node's informer or as the translator's own first stages. */
import { setTimeout as sleep } from "node:timers/promises";
import { DiscoveryV1Api, KubeConfig, makeInformer, type V1EndpointSlice } from "@kubernetes/client-node";
import { consumedFields } from "../../src/filter/consumed.ts";
import { Filter } from "../../src/filter/pass.ts";
import { objectReaders } from "../../src/protobuf/object-reader.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";
import { packers, unpackEndpointSlice } from "../../src/shard/pack.ts";
import { ObjectStore } from "../../src/store/object-store.ts";
import { startCluster } from "../../src/watch/cluster-watch.ts";
import type { Kind } from "../../src/watch/events.ts";
import { connectKube } from "../../src/watch/connect-kube.ts";
import type { Reading } from "../ingest-process/client.ts";
import { differs } from "../ingest/differs.ts";
import { LoopWatch, longestSince } from "./loop-watch.ts";
import { sharedNow } from "./protocol.ts";
import { serve } from "./serve.ts";
import { cpuNow, usageNow } from "./usage.ts";

export interface Listed {
  readonly objects: number;
  /** Milliseconds, until all was taken in. */
  readonly ms: number;
  readonly cpu: number;
  /** Bytes: the most that the process ever held. */
  readonly peak: number;
  /** Longest block of the event loop, milliseconds: by the clock, and without what the thread waited for a core. */
  readonly block: { readonly wall: number; readonly own: number };
}

export type InformerCommands = {
  readonly start: (who: "client-node" | "ours", kubeconfig: string) => Promise<void>;
  readonly read: () => Reading;
  /** Takes in all Pods of a cluster, as ours does. */
  readonly list: (kubeconfig: string) => Promise<Listed>;
};

const seen = { synced: false, events: 0, kept: 0 };

const commands: InformerCommands = {
  start: (who, kubeconfig) => {
    if (who === "client-node") return startClientNode(kubeconfig);
    startOurs("endpointslices", kubeconfig, () => {});
    return Promise.resolve();
  },
  read() {
    const { cpu, rss } = usageNow();
    return { ...seen, cpu, rss };
  },
  async list(kubeconfig) {
    const watch = new LoopWatch();
    watch.start();
    // What loading the program blocked is not the list's.
    await sleep(500);
    const begun = { at: sharedNow(), cpu: cpuNow() };
    const store = await new Promise<ObjectStore>((resolve) => startOurs("pods", kubeconfig, resolve));
    const listed = { ms: sharedNow() - begun.at, cpu: cpuNow() - begun.cpu };
    await sleep(50);
    watch.stop();
    const { wall, own } = longestSince(watch.blocks, begun.at);
    return { objects: store.count("bench", "pods"), ...listed, peak: usageNow().peak, block: { wall, own } };
  },
};

/** Everything between the socket and the shards. */
function startOurs(kind: Kind, kubeconfig: string, onSynced: (store: ObjectStore) => void): void {
  const store = new ObjectStore();
  const filter = new Filter({ store, packers, unpackSlice: unpackEndpointSlice });
  const address = { name: "bench", kubeconfig, context: undefined, inCluster: false };
  const fail = (error: unknown): never => {
    throw error;
  };
  startCluster({
    ...{
      cluster: { name: "bench" },
      kinds: [kind],
      readers: objectReaders(consumedFields, Math.random),
    },
    connect: () => connectKube(address, { clock: systemClock, env: process.env }),
    ...{ clock: systemClock, random: Math.random, log: silentLog, onFault: fail },
    emit(event) {
      if (event.type === "synced") {
        seen.synced = true;
        onSynced(store);
      }
      if (event.type !== "apply") return;
      const verdict = filter.offer(event);
      if (!seen.synced) return;
      seen.events++;
      if ("kept" in verdict) seen.kept++;
    },
  });
}

async function startClientNode(kubeconfig: string): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(DiscoveryV1Api);
  const held = new Map<string, V1EndpointSlice>();
  const path = "/apis/discovery.k8s.io/v1/endpointslices";
  const informer = makeInformer(config, path, () => api.listEndpointSliceForAllNamespaces());
  const hold = (slice: V1EndpointSlice): V1EndpointSlice | undefined => {
    const key = `${slice.metadata?.namespace}/${slice.metadata?.name}`;
    const before = held.get(key);
    held.set(key, slice);
    return before;
  };
  informer.on("add", hold);
  informer.on("update", (slice) => {
    seen.events++;
    const before = hold(slice);
    if (before === undefined || differs.endpointslices(before, slice)) seen.kept++;
  });
  informer.on("error", (error) => process.stderr.write(`client-node: ${String(error)}\n`));
  await informer.start();
  seen.synced = true;
}

serve(commands);
