import type { Config, HostPolicy } from "./config.ts";
import type { Configured, HostRule, Known } from "./shard/protocol.ts";
import { unpackEndpointSlice } from "./shard/pack.ts";
import { placeOf, shardOf, type Place } from "./shard/shard-key.ts";
import type { Applied } from "./shard/shards.ts";
import type { ObjectStore, StoredObject, StoreKey } from "./store/object-store.ts";
import type { GroupRecord } from "./write/group-record.ts";
import { knownOf } from "./write/known-of.ts";

/** What each shard is told of the configuration. */
export function shardOptionsOf(config: Config): Configured {
  const { instance, defaults, policy, shards, nodePort } = config;
  return {
    instance,
    clusters: config.clusters.map(({ name, addressFamily, weight, namespaces }) => ({
      ...{ name, addressFamily, weight, namespaces },
    })),
    ...(defaults.host === undefined ? {} : { defaultHost: defaults.host }),
    defaultUri: defaults.uri,
    plugins: policy.plugins,
    hosts: policy.hosts.map(hostRuleOf),
    nodePort,
    by: shards.by,
  };
}

/** What crosses a thread says nothing by `undefined`. */
function hostRuleOf({ clusters, namespaces, hosts }: HostPolicy): HostRule {
  return {
    ...(clusters === undefined ? {} : { clusters }),
    ...(namespaces === undefined ? {} : { namespaces }),
    hosts,
  };
}

/** What a new shard is seeded with: its objects from the store, and what stands of its ids from the writer's records. */
export function shardSeeds(
  { shards: { by } }: Pick<Config, "shards">,
  count: number,
  store: ObjectStore,
  records: () => Iterable<GroupRecord>,
): { objectsOf(shard: number): Iterable<Applied>; knownOf(shard: number): Iterable<Known> } {
  const isAt = (shard: number, place: Place | undefined, cluster: string): boolean => {
    if (place === undefined && by === "service") return true;
    return shardOf(place ?? { cluster, kind: "pod", namespace: "", name: "" }, count, by) === shard;
  };
  return {
    *objectsOf(shard) {
      for (const { cluster, kind, namespace, name, packed } of everyObject(store)) {
        const slice = kind === "endpointslices" ? { service: unpackEndpointSlice(packed).service } : {};
        const key = { cluster, kind, namespace, name, ...slice };
        if (!isAt(shard, placeOf(key), cluster)) continue;
        yield { type: "apply", ...key, packed, at: 0 };
      }
    },
    *knownOf(shard) {
      for (const record of records()) {
        if (shardOf(record.identity, count, by) !== shard) continue;
        const known = knownOf(record);
        if (known.upstream !== undefined || known.route !== undefined) yield known;
      }
    },
  };
}

function* everyObject(store: ObjectStore): Iterable<StoreKey & StoredObject> {
  for (const cluster of store.clusters()) {
    for (const kind of store.kinds(cluster)) {
      for (const object of store.objects(cluster, kind)) yield { cluster, kind, ...object };
    }
  }
}
