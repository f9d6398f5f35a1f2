import type { SourceKind } from "../declare/declaration.ts";
import type { KeptKey } from "../filter/kept.ts";

/** Where a source, or a group, lives: what decides its shard. */
export interface Place {
  readonly cluster: string;
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The shard of a source or a group, from 0 to `count` - 1. `service`: by the namespace, and for Services the name, never
 * the cluster, so that all members of a group meet in one shard, fleet-wide ones too; `cluster`: by the cluster.
 */
export function shardOf(
  { cluster, kind, namespace, name }: Place,
  count: number,
  by: "service" | "cluster",
): number {
  if (count === 1) return 0;
  if (by === "cluster") return hash(cluster) % count;
  return hash(kind === "service" ? `${namespace}/${name}` : namespace) % count;
}

/** Where an object that was kept belongs; undefined: to every shard that can hold something of its cluster. */
export function placeOf({ cluster, kind, namespace, name, service = "" }: KeptKey): Place | undefined {
  switch (kind) {
    case "pods":
      return { cluster, kind: "pod", namespace, name };
    case "services":
      return { cluster, kind: "service", namespace, name };
    case "endpointslices":
      return { cluster, kind: "service", namespace, name: service };
    case "nodes":
      return undefined;
  }
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
