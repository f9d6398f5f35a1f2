import { TranslatorError } from "../../src/errors.ts";
import type { Cancel } from "../../src/runtime.ts";
import type { KubeTransport } from "../../src/watch/transport.ts";
import type { SimCluster } from "./sim-cluster.ts";

/** The token that a cluster's API server accepts from the start. */
export const firstToken = "sim-token";

/** What a kubeconfig says: how a cluster is reached, or that it cannot be read. */
export type Access =
  | { readonly type: "token"; readonly token: string; readonly cluster: SimCluster }
  | { readonly type: "unreadable" };

/** The kubeconfig of one cluster, and whoever was made from it as it stood then. */
export class Kubeconfig {
  #access: Access;
  readonly #followers = new Set<() => void>();

  constructor(cluster: SimCluster) {
    this.#access = { type: "token", token: firstToken, cluster };
  }

  get access(): Access {
    return this.#access;
  }

  /** @throws TranslatorError `KUBE_CREDENTIALS` */
  read(): { readonly transport: KubeTransport; readonly cluster: SimCluster } {
    const access = this.#access;
    if (access.type === "unreadable") throw new TranslatorError("KUBE_CREDENTIALS", "it is no kubeconfig");
    const { cluster, token } = access;
    return { cluster, transport: cluster.line.transport(token) };
  }

  /** Calls `run` whenever the file has changed, until the returned function is called. */
  follow(run: () => void): Cancel {
    this.#followers.add(run);
    return () => this.#followers.delete(run);
  }

  /** `quietly`: whoever was made from it is told by other means, if at all. */
  write(access: Access, quietly = false): void {
    this.#access = access;
    if (!quietly) for (const run of this.#followers) run();
  }
}
