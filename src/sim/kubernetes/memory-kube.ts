import { TranslatorError } from "../../errors.ts";
import type { Random } from "../../runtime.ts";
import type { KubeRequest, KubeResponse, KubeTransport } from "../../watch/transport.ts";
import type { EmbeddedCluster } from "./embedded-cluster.ts";
import { handleRequest } from "./kube-handler.ts";
import { MemoryExchange } from "./memory-exchange.ts";

export interface MemoryKubeOptions {
  /** Milliseconds each way, asked for each piece. Default 0: the next timer of the cluster's clock. */
  readonly latency?: () => number;
  /** Where given, the body's pieces are cut at random places. */
  readonly chop?: Random;
}

/** The in-memory way to a cluster: what `KubeServer` is over HTTPS. */
export interface MemoryKube {
  /** A transport whose session carries `token`; default `sim-token`. */
  transport(token?: string): KubeTransport;
  /** Refuses requests (`KUBE_CONNECTION`) and breaks the open ones. */
  stop(): void;
  start(): void;
}

/** Serves a cluster in memory, on the cluster's own clock. Several may stand on one cluster. */
export function memoryKube(cluster: EmbeddedCluster, options: MemoryKubeOptions = {}): MemoryKube {
  const latency = options.latency ?? (() => 0);
  const line = { clock: cluster.clock, latency, chop: options.chop };
  const open = new Set<MemoryExchange>();
  let stopped = false;

  const exchange = (request: KubeRequest, token: string): Promise<KubeResponse> => {
    const current = new MemoryExchange(line);
    const onAbort = (): void => current.abort();
    request.signal.addEventListener("abort", onAbort, { once: true });
    open.add(current);
    current.onSettled(() => request.signal.removeEventListener("abort", onAbort));
    current.onClose(() => open.delete(current));
    const cancel = cluster.clock.after(latency(), () => {
      if (stopped) return current.destroy();
      const { method = "GET", path, accept, body, contentType = "application/json" } = request;
      const content = body === undefined ? {} : { body, contentType };
      const asked = { method, path, accept, authorization: `Bearer ${token}`, ...content };
      handleRequest(cluster, asked, current);
    });
    current.onClose(cancel);
    return current.response;
  };

  return {
    transport:
      (token = "sim-token") =>
      (request) => {
        if (!request.signal.aborted) return exchange(request, token);
        return Promise.reject(new TranslatorError("ABORTED", "the request was called off"));
      },
    stop() {
      stopped = true;
      for (const current of open) current.destroy();
    },
    start() {
      stopped = false;
    },
  };
}
