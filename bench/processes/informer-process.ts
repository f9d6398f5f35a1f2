/** Watches the EndpointSlices of one cluster, over TLS, as client-node's informer or as the translator's own first stages. */
import { DiscoveryV1Api, KubeConfig, makeInformer, type V1EndpointSlice } from "@kubernetes/client-node";
import { consumedFields } from "../../src/filter/consumed.ts";
import { Filter } from "../../src/filter/pass.ts";
import { objectReaders } from "../../src/protobuf/object-reader.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";
import { packers, unpackEndpointSlice } from "../../src/shard/pack.ts";
import { ObjectStore } from "../../src/store/object-store.ts";
import { startCluster } from "../../src/watch/cluster-watch.ts";
import { connectKube } from "../../src/watch/connect-kube.ts";
import type { Reading } from "../ingest-process/client.ts";
import { differs } from "../ingest/differs.ts";
import { serve } from "./serve.ts";
import { usageNow } from "./usage.ts";

export type InformerCommands = {
  readonly start: (who: "client-node" | "ours", kubeconfig: string) => Promise<void>;
  readonly read: () => Reading;
};

const seen = { synced: false, events: 0, kept: 0 };

const commands: InformerCommands = {
  start: (who, kubeconfig) => (who === "ours" ? startOurs(kubeconfig) : startClientNode(kubeconfig)),
  read() {
    const { cpu, rss } = usageNow();
    return { ...seen, cpu, rss };
  },
};

/** Everything between the socket and the shards. */
function startOurs(kubeconfig: string): Promise<void> {
  const filter = new Filter({ store: new ObjectStore(), packers, unpackSlice: unpackEndpointSlice });
  const address = { name: "bench", kubeconfig, context: undefined, inCluster: false };
  const fail = (error: unknown): never => {
    throw error;
  };
  startCluster({
    ...{
      cluster: { name: "bench" },
      kinds: ["endpointslices"],
      readers: objectReaders(consumedFields, Math.random),
    },
    connect: () => connectKube(address, { clock: systemClock, env: process.env }),
    ...{ clock: systemClock, random: Math.random, log: silentLog, onFault: fail },
    emit(event) {
      if (event.type === "synced") seen.synced = true;
      if (event.type !== "apply") return;
      const verdict = filter.offer(event);
      if (!seen.synced) return;
      seen.events++;
      if ("kept" in verdict) seen.kept++;
    },
  });
  return Promise.resolve();
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
