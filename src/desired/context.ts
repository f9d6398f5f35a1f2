import type { HostTemplate } from "../declare/template.ts";
import type { Group } from "./group.ts";
import type { HostPolicy } from "./host-policy.ts";
import type { Feeds } from "./feeds.ts";
import type { AddressFamily, NodePortOptions } from "./pod-nodes.ts";

/** What translation depends on besides the objects: from the configuration. */
export interface Translation {
  readonly instance: string;
  /** Parsed `defaults.host`; absent: a host is required. */
  readonly defaultHost: HostTemplate | undefined;
  readonly defaultUri: string;
  /** `policy.plugins`. */
  readonly plugins: ReadonlySet<string>;
  /** `policy.hosts`. */
  readonly hosts: HostPolicy;
  readonly clusters: ReadonlyMap<string, ClusterTranslation>;
  readonly nodePort: NodePortOptions;
  readonly feeds: Feeds;
  /** Why no group spans clusters, one sentence; undefined: groups may. */
  readonly fleetRefusal: string | undefined;
  /** Equal exactly where everything but `clusters` is equal: then no declaration means anything else. */
  readonly key: string;
}

/**
 * How far a cluster can be seen, as far as a group rests on it. `pending`: nobody has said yet. `unseen`: what it
 * has is unknown. `purged`: it is gone for good, and so is everything of it.
 */
export type Sight = "pending" | "seen" | "unseen" | "purged";

/** What a group means depends on besides its members and what stands. */
export interface Surroundings {
  readonly translation: Translation;
  sight(group: Group, cluster: string): Sight;
  /** Whether a list took the cluster's part in the group away, and the guard let it go. */
  isPartLetGo(group: Group, cluster: string): boolean;
}

export interface ClusterTranslation {
  readonly addressFamily: AddressFamily;
  readonly weight: number;
  /** Those that are listed; absent or empty: all. */
  readonly namespaces?: readonly string[];
}

/** Whether what belongs to this identity would be seen if it were there: its namespace is listed. */
export function covers(
  { clusters }: Pick<Translation, "clusters">,
  { cluster, namespace }: { readonly cluster: string; readonly namespace: string },
): boolean {
  const namespaces = clusters.get(cluster)?.namespaces ?? [];
  return namespaces.length === 0 || namespaces.includes(namespace);
}
