import { readClusterSecret } from "../config/cluster-secret.ts";
import type { ClusterSecretsConfig } from "../config.ts";
import type { Watched } from "../watched.ts";
import { TranslatorError } from "../errors.ts";
import { wrong } from "./check.ts";
import type { Check } from "./check.ts";
import { fieldsOf } from "./kube-client.ts";
import type { KubeClient } from "./kube-client.ts";

/** As `run` takes them at most. */
const mostClusters = 1000;

export interface SecretClusters {
  readonly clusters: readonly Watched[];
  readonly checks: readonly Check[];
}

/** The clusters that cluster Secrets describe, and which of the Secrets cannot be used. `taken`: names of the configuration. */
export async function secretClusters(
  client: KubeClient,
  { namespace, selector }: ClusterSecretsConfig,
  taken: readonly string[],
): Promise<SecretClusters> {
  const clusters: Watched[] = [];
  const checks: Check[] = [];
  const names = new Map(taken.map((name) => [name, "the configuration"]));
  const path = `/api/v1/namespaces/${namespace}/secrets?labelSelector=${encodeURIComponent(selector)}&limit=${mostClusters}`;
  let items: unknown;
  try {
    items = (await client.get(path)).body["items"];
  } catch (error) {
    if (!(error instanceof TranslatorError)) throw error;
    // Told by the checks of the cluster that holds them.
    if (error.code === "KUBE_CONNECTION" || error.status === 401 || error.status === 403)
      return { clusters, checks };
    const remedy = "see that this is a Kubernetes API server; until then no clusters come out of Secrets";
    return { clusters, checks: [{ target: "clusterSecrets", ...wrong("list", error.message, remedy) }] };
  }
  for (const item of Array.isArray(items) ? items : []) {
    const name = String(fieldsOf(fieldsOf(item)["metadata"])["name"]);
    const origin = `Secret ${namespace}/${name}`;
    const { found, fault } = readClusterSecret(origin, name, item);
    const first = found === undefined ? undefined : names.get(found.cluster.name);
    if (fault === undefined && found !== undefined && first === undefined) {
      names.set(found.cluster.name, origin);
      clusters.push(found.cluster);
    } else {
      const detail = fault ?? `the name ${found?.cluster.name ?? ""} is taken by ${first ?? ""}`;
      checks.push({
        target: origin,
        ...wrong("content", detail, "mend the Secret; its cluster is not watched"),
      });
    }
  }
  return { clusters, checks };
}
