/** Where a key lives: what decides its shard. */
export interface Place {
  readonly cluster: string;
  readonly namespace: string;
}

/**
 * The shard of a key, from 0 to `count` - 1. `service`: by the namespace, never the cluster, so that all members of a
 * group meet in one shard, fleet-wide ones too; `cluster`: by the cluster.
 */
export function shardOf({ cluster, namespace }: Place, count: number, by: "service" | "cluster"): number {
  if (count === 1) return 0;
  return hash(by === "service" ? namespace : cluster) % count;
}

/** FNV-1a over UTF-16 code units, then MurmurHash3's finaliser: FNV alone leaves the low bits of short, similar names alike. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
