import type { HostTemplate } from "../declare/template.ts";
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
  /** Equal exactly where everything but `clusters` is equal: then no declaration means anything else. */
  readonly key: string;
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
