import type { Standing } from "./apisix/types.ts";
import type { Config } from "./config.ts";
import type { Known, ShardOptions } from "./shard/protocol.ts";
import { shardOf } from "./shard/shard-key.ts";
import type { Applied } from "./shard/shards.ts";
import type { ObjectStore } from "./store/object-store.ts";
import type { GroupRecord } from "./write/group-record.ts";

/** What each shard is told of the configuration. */
export function shardOptionsOf(config: Config): Omit<ShardOptions, "shard"> {
  const { instance, defaults, policy, shards } = config;
  return {
    instance,
    clusters: config.clusters.map(({ name, addressFamily, weight }) => ({ name, addressFamily, weight })),
    ...(defaults.host === undefined ? {} : { defaultHost: defaults.host }),
    defaultUri: defaults.uri,
    plugins: policy.plugins,
    by: shards.by,
  };
}

/** What a new shard is seeded with: its objects from the store, and what stands of its ids from the writer's records. */
export function shardSeeds(
  { clusters, shards: { by } }: Config,
  count: number,
  store: ObjectStore,
  records: () => Iterable<GroupRecord>,
): { objectsOf(shard: number): Iterable<Applied>; knownOf(shard: number): Iterable<Known> } {
  return {
    *objectsOf(shard) {
      for (const { name: cluster } of clusters) {
        for (const { namespace, name, packed } of store.objects(cluster, "pods")) {
          if (shardOf({ cluster, namespace }, count, by) !== shard) continue;
          yield { type: "apply", cluster, kind: "pods", namespace, name, packed, at: 0 };
        }
      }
    },
    *knownOf(shard) {
      for (const record of records()) {
        const { id, identity, upstream, route } = record;
        if (shardOf(identity, count, by) !== shard || (upstream === undefined && route === undefined))
          continue;
        yield {
          ...{ id, identity },
          ...(upstream === undefined ? {} : { upstream }),
          ...(route === undefined ? {} : { route: contentOf(route) }),
        };
      }
    },
  };
}

function contentOf({ digest, found }: Standing): Standing {
  return found === undefined ? { digest } : { digest, found };
}
