import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Clock, Random } from "../../runtime.ts";
import type { ClusterStore } from "./cluster-store.ts";
import { startKubeServer, type KubeServer } from "./kube-server.ts";

export interface FleetOptions {
  /** How many, or their names. A number names them `cluster-1`, `cluster-2`, … */
  readonly clusters: number | readonly string[];
  /** Default the system's. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Milliseconds between bookmarks. Default 60,000. */
  readonly bookmarkInterval?: number;
  /** Events kept per kind. Default 10,000. */
  readonly historyLength?: number;
}

export interface FleetCluster {
  readonly name: string;
  readonly server: KubeServer;
  readonly store: ClusterStore;
  readonly kubeconfigPath: string;
}

export interface Fleet {
  readonly clusters: readonly FleetCluster[];
  /** @throws Error for a name that the fleet does not have. */
  cluster(name: string): FleetCluster;
  /** Where the kubeconfig files stand, readable by this user only. */
  readonly folder: string;
  /** Ends every server and removes the folder. */
  close(): Promise<void>;
}

/** Starts embedded API servers, each with its kubeconfig in a temporary folder. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { clusters: wanted, ...serverOptions } = options;
  const names =
    typeof wanted === "number"
      ? Array.from({ length: wanted }, (_, index) => `cluster-${index + 1}`)
      : wanted;
  const folder = await mkdtemp(path.join(tmpdir(), "apisix-translator-fleet-"));
  const clusters = await Promise.all(names.map((name) => startCluster(name, folder, serverOptions)));
  return {
    clusters,
    cluster(name) {
      const found = clusters.find((candidate) => candidate.name === name);
      if (found === undefined) throw new Error(`no cluster ${name} in the fleet`);
      return found;
    },
    folder,
    async close() {
      await Promise.all(clusters.map(({ server }) => server.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startCluster(
  name: string,
  folder: string,
  options: Omit<FleetOptions, "clusters">,
): Promise<FleetCluster> {
  const server = await startKubeServer({ name, ...options });
  const kubeconfigPath = path.join(folder, `${name}.kubeconfig`);
  await writeFile(kubeconfigPath, server.kubeconfig(), { mode: 0o600 });
  return {
    name,
    server,
    get store() {
      return server.store;
    },
    kubeconfigPath,
  };
}
