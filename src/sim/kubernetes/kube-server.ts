/**
 * Embedded Kubernetes API servers, for the demo, the pipeline tests, the benches and the simulation.
 *
 * ```ts
 * const server = await startKubeServer({ name: "east-1" });            // real HTTPS on 127.0.0.1, a free port
 * await writeFile(path, server.kubeconfig());                           // with the token "sim-token"
 * server.store.create("pods", pod({ namespace: "shop", name: "web-0", routes: [{ name: "web", port: 8080 }] }));
 * server.store.patch("pods", "shop/web-0", (object) => withReady(object, false));
 * server.store.remove("pods", "shop/web-0");                            // also bumpNoise, compact, backup, restore, wipe
 * await server.traffic.whenWatching("pods");                            // also until(...), requests, openWatches(...)
 * const mend = server.faults.onRequest({ resource: "pods", verb: "list", page: 3 }, statusFault(500), { times: 1 });
 * server.faults.onFrame({ resource: "pods" }, { type: "lose" }, { chance: 0.1 });
 * server.faults.halfOpen();                                             // server.faults.clear() takes all away
 * server.access.forbidden.add("nodes"); server.access.tokens.clear();   // 403, 401
 * for (const watch of server.traffic.openWatches()) watch.cut();        // also end(), fail(410), silence()
 * await server.stop(); await server.start();                            // unreachable, then back on the same port
 * await server.close();
 * ```
 *
 * - `store`: ClusterStore, the model (cluster-store.ts). Builders: pod.ts, object-changes.ts.
 * - `faults`: faults.ts. `traffic`: traffic.ts. `access`: embedded-cluster.ts.
 * - The same cluster in memory, on a virtual clock: memory-kube.ts. Many at once: fleet.ts.
 *
 * Serves GET: lists (pages pinned to a revision, selectors), watches (resume, bookmarks, WatchList, 410), single objects,
 * `/version`, `/readyz`; writes of Leases and Events (object-write.ts), 405 to those of other kinds. JSON whatever `Accept` asks; HTTP/1.1.
 */
import { createServer } from "node:https";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { systemClock, type Clock, type Random } from "../../runtime.ts";
import { serverCertificates, type ServerCertificates } from "./certificates.ts";
import type { ClusterStore } from "./cluster-store.ts";
import { EmbeddedCluster, type Access, type EmbeddedClusterOptions } from "./embedded-cluster.ts";
import type { Faults } from "./faults.ts";
import { handleRequest } from "./kube-handler.ts";
import { kubeconfigText } from "./kubeconfig-text.ts";
import type { ResponseSink } from "./response-sink.ts";
import type { Traffic } from "./traffic.ts";

export interface KubeServerOptions extends Omit<EmbeddedClusterOptions, "clock" | "random"> {
  /** Default: the system's. Drives bookmarks, timeouts and slowness only; sockets are real. */
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface KubeServer {
  readonly name: string;
  /** `https://127.0.0.1:PORT`, the same after `stop` and `start`. */
  readonly url: string;
  readonly port: number;
  readonly cluster: EmbeddedCluster;
  readonly store: ClusterStore;
  readonly faults: Faults;
  readonly access: Access;
  readonly traffic: Traffic;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  /** Text of a kubeconfig file for this server. */
  kubeconfig(options?: { readonly token?: string }): string;
  /** Refuses connections and breaks the open ones; what the cluster holds stays and can still change. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** `stop`, for good. */
  close(): Promise<void>;
}

/** Starts one embedded cluster on 127.0.0.1, on a free port. */
export async function startKubeServer(options: KubeServerOptions): Promise<KubeServer> {
  const cluster = new EmbeddedCluster({ clock: systemClock, random: Math.random, ...options });
  const certificates = await serverCertificates();
  const listener = new Listener(cluster, certificates);
  await listener.start();
  const url = `https://127.0.0.1:${listener.port}`;
  const token = options.token ?? "sim-token";
  return {
    name: cluster.name,
    url,
    port: listener.port,
    cluster,
    get store() {
      return cluster.store;
    },
    faults: cluster.faults,
    access: cluster.access,
    traffic: cluster.traffic,
    ca: certificates.ca,
    kubeconfig: (wanted = {}) =>
      kubeconfigText({ name: cluster.name, url, ca: certificates.ca, token: wanted.token ?? token }),
    stop: () => listener.stop(),
    start: () => listener.start(),
    close: () => listener.stop(),
  };
}

class Listener {
  readonly #cluster: EmbeddedCluster;
  readonly #certificates: ServerCertificates;
  readonly #responses = new Set<ServerResponse>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #allClosed: () => void = () => {};
  port = 0;

  constructor(cluster: EmbeddedCluster, certificates: ServerCertificates) {
    this.#cluster = cluster;
    this.#certificates = certificates;
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    const { cert, key } = this.#certificates;
    const server = createServer({ cert, key }, (request, response) => this.#serve(request, response));
    this.#server = server;
    server.keepAliveTimeout = 90_000;
    server.requestTimeout = 0;
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.port, "127.0.0.1", () => {
        server.off("error", reject);
        resolve();
      });
    });
    this.port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      // One that is being secured is none of HTTP's yet, and would keep the server from closing for ever.
      for (const socket of this.#sockets) socket.destroy();
    });
    // A response hears of its socket's end a turn later; whoever awaits `stop` must find no watch open.
    if (this.#responses.size > 0) await new Promise<void>((resolve) => (this.#allClosed = resolve));
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#responses.add(response);
    response.once("close", () => {
      this.#responses.delete(response);
      if (this.#responses.size === 0) this.#allClosed();
    });
    const { method = "GET", url = "/", headers } = request;
    const { authorization = "", accept = "", "content-type": contentType = "" } = headers;
    const asked = { method, path: url, authorization, accept };
    const handle = (content: { readonly body?: string } = {}): void =>
      handleRequest(this.#cluster, { ...asked, ...content, contentType }, httpSink(response));
    if (method === "GET") {
      request.resume();
      handle();
    } else {
      // A client that hangs up in the middle of its body gets no answer.
      text(request).then(
        (body) => handle({ body }),
        () => response.destroy(),
      );
    }
  }
}

function httpSink(response: ServerResponse): ResponseSink {
  return {
    head(status, headers) {
      response.writeHead(status, headers);
      response.flushHeaders();
    },
    write(bytes) {
      response.write(bytes);
      return response.writableLength;
    },
    end: () => void response.end(),
    destroy() {
      // What was written before leaves first: a watch can break in the middle of a line.
      if (response.socket === null) response.destroy();
      else response.socket.destroySoon();
    },
    onDrain(run) {
      if (response.writableNeedDrain) response.once("drain", run);
      else setImmediate(run);
    },
    onClose: (run) => void response.once("close", run),
  };
}
