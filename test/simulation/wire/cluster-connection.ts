import type { KubeConnection } from "../../../src/watch/kube-connection.ts";
import type { HeardKind, SimCluster } from "../sim-cluster.ts";
import type { Gate } from "./gate.ts";
import { KubeTap } from "./kube-tap.ts";
import type { CompleteList } from "./kube-tap.ts";

export interface ClusterConnectionOptions {
  readonly gate: Gate;
  readonly cluster: SimCluster;
  readonly pageSize: number;
  /** A complete list of the cluster itself, whoever answers in its place at other times, as soon as it may be believed. */
  readonly listed: (list: CompleteList) => void;
  /** Whether the process has said that it believes nothing of the cluster. */
  readonly isRefused: () => boolean;
  /** A list of this kind is asked for from its beginning. */
  readonly begun: (kind: HeardKind) => void;
  /** A list of this kind failed, whoever answered. */
  readonly failed: (kind: HeardKind) => void;
}

/** A session of one process as the cluster's kubeconfig has it now. Errors: `KUBE_CREDENTIALS`. */
export async function connectCluster(options: ClusterConnectionOptions): Promise<KubeConnection> {
  const { gate, cluster, pageSize, listed, isRefused, begun, failed } = options;
  const reached = await Promise.try(() => cluster.kubeconfig.read());
  const tap = new KubeTap({
    ...{ gate, pageSize, transport: reached.transport, begun, failed },
    listed: (list) => {
      if (reached.cluster !== cluster || !cluster.isOwn(list.startedAt)) return;
      if (cluster.rebuilt !== "unknown") return listed(list);
      // Who had not judged yet whether it is to be believed need not list it anew; who refuses it must.
      cluster.onBelieved(() => {
        if (gate.isOpen && !isRefused()) listed({ ...list, believedAt: gate.time.now() });
      });
    },
  });
  const connection = tap.connection();
  let unfollow = (): void => {};
  return Object.assign((request: Parameters<KubeConnection>[0]) => connection(request), {
    whenStale: (run: () => void) => {
      unfollow = cluster.kubeconfig.follow(() => gate.enter(run));
    },
    close: () => {
      unfollow();
      return connection.close();
    },
  });
}
