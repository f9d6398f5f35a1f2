import { type ApiServer, startApiServer } from "./api-server.ts";
import { type Etcd, startEtcd } from "./etcd.ts";
import { kubeconfigFor } from "./kubeconfig.ts";
import { applyRights, requestToken, type RightsOptions } from "./rights.ts";

export interface Cluster {
  readonly name: string;
  readonly server: ApiServer;
  /** Of the ServiceAccount of `deploy/rbac.yaml`, which has exactly the rights that this file gives. */
  readonly token: string;
  /** Text of a kubeconfig with that token. */
  readonly kubeconfig: string;
}

export interface ControlPlane {
  readonly etcd: Etcd;
  readonly clusters: readonly Cluster[];
  /** @throws Error when none has that name. */
  cluster(name: string): Cluster;
  /** Ends every process and removes all data. */
  close(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** How many: they are named `cluster-1`, `cluster-2`, ...; or the names. */
  readonly clusters: number | readonly string[];
  /** The one that holds the Lease and cluster Secrets; default: none. */
  readonly home?: string;
  /** By cluster, resources that its token may not touch at all. */
  readonly without?: Readonly<Record<string, readonly string[]>>;
  /** Further arguments of every API server. */
  readonly args?: readonly string[];
}

async function startCluster(server: ApiServer, rights: RightsOptions): Promise<Cluster> {
  await applyRights(server.admin, rights);
  const token = await requestToken(server.admin);
  return { name: server.name, server, token, kubeconfig: kubeconfigFor(server, token) };
}

function clusterNames(clusters: number | readonly string[]): readonly string[] {
  if (typeof clusters !== "number") return clusters;
  return Array.from({ length: clusters }, (_, index) => `cluster-${index + 1}`);
}

/**
 * Starts one etcd and, in parallel, one API server per cluster, each with its own data, identity and credentials.
 *
 * @throws Error of the first part that fails, after ending all the others.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const etcd = await startEtcd();
  const servers: ApiServer[] = [];
  const close = async (): Promise<void> => {
    // API servers first: without etcd they would fill their logs.
    await Promise.all(servers.map((server) => server.close()));
    await etcd.process.close();
  };
  const started = await Promise.allSettled(
    clusterNames(options.clusters).map(async (name) => {
      const server = await startApiServer({ etcd, name, args: options.args ?? [] });
      servers.push(server);
      const { home, without = {} } = options;
      return startCluster(server, { isHome: name === home, without: without[name] ?? [] });
    }),
  );
  const clusters: Cluster[] = [];
  for (const outcome of started) {
    if (outcome.status === "fulfilled") {
      clusters.push(outcome.value);
      continue;
    }
    await close();
    throw outcome.reason;
  }
  const cluster = (name: string): Cluster => {
    const found = clusters.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no cluster ${name}`);
    return found;
  };
  return { etcd, clusters, cluster, close };
}
