import type { ClusterConfig } from "./config.ts";
import type { InlineKubeconfig } from "./watch/kube-access.ts";

/** A cluster of the configuration file, or out of a Secret. */
export type Watched = ClusterConfig & { readonly inline?: InlineKubeconfig };

/** What is known of a name. `unknown` is not `absent`: a Secret that could not be read may name it. */
export type Configured =
  | { readonly is: "watched"; readonly cluster: Watched }
  /** `why`: one sentence, with what to do. */
  | { readonly is: "unknown"; readonly why: string }
  /** Neither the configuration nor a Secret names it. */
  | { readonly is: "absent" };

export interface ClustersChange {
  /** All that are watched from now on. */
  readonly watched: readonly Watched[];
  /** Names that are not watched any more. */
  readonly left: readonly string[];
  /** Names of which something else is listed: until then nothing of them is known. */
  readonly relisted: readonly string[];
}

/** Cluster → the namespaces that alone are listed in it. */
export function narrowedIn(clusters: readonly Watched[]): Map<string, Set<string>> {
  const narrowed = clusters.filter(({ namespaces }) => namespaces.length > 0);
  return new Map(narrowed.map(({ name, namespaces }) => [name, new Set(namespaces)]));
}

/** Another text: it is reached another way. */
export function reachedBy({ kubeconfig, context, inCluster, inline }: Watched): string {
  const text = inline !== undefined && "text" in inline ? inline.text.reveal() : inline?.fault;
  return JSON.stringify([kubeconfig, context, inCluster, text]);
}
