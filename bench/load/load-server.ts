import { createServer } from "node:https";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { serverCertificates } from "../../src/sim/kubernetes/certificates.ts";
import { kubeconfigText } from "../../src/sim/kubernetes/kubeconfig-text.ts";
import { kubeStatus } from "../../src/sim/kubernetes/kube-status.ts";
import { resourceRows } from "../../src/sim/kubernetes/resources.ts";
import type { LoadCluster, LoadKind } from "./load-cluster.ts";
import { jsonFormat, protobufFormat, type LoadFormat } from "./load-format.ts";
import { chunk } from "./load-templates.ts";

const token = "load-token";
const bookmarkEvery = 30_000;

interface OpenWatch {
  readonly socket: Socket;
  readonly format: LoadFormat;
}

/**
 * One cluster of a load behind HTTPS: as much of list and watch as a translator needs. A watch starts at the newest
 * resourceVersion or is 410; frames are written to the socket as they are, for what a server's own machinery does for each
 * is most of their cost.
 */
export class LoadServer {
  readonly name: string;
  readonly #cluster: LoadCluster;
  readonly #server: Server;
  readonly #watches: Readonly<Record<LoadKind, Set<OpenWatch>>> = {
    ...{ services: new Set(), endpointslices: new Set(), pods: new Set(), nodes: new Set() },
  };
  readonly #bookmarks: NodeJS.Timeout;
  readonly #isJson: boolean;
  readonly ca: string;

  static async start(cluster: LoadCluster, isJson: boolean): Promise<LoadServer> {
    const certificates = await serverCertificates();
    const server = new LoadServer(cluster, isJson, certificates);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  private constructor(
    cluster: LoadCluster,
    isJson: boolean,
    { ca, cert, key }: { readonly ca: string; readonly cert: string; readonly key: string },
  ) {
    this.name = `load-${cluster.index + 1}`;
    this.ca = ca;
    this.#cluster = cluster;
    this.#isJson = isJson;
    this.#server = createServer({ cert, key }, (request, response) => this.#serve(request, response));
    this.#server.keepAliveTimeout = 90_000;
    this.#server.requestTimeout = 0;
    this.#bookmarks = setInterval(() => this.#bookmark(), bookmarkEvery);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get kubeconfig(): string {
    return kubeconfigText({ name: this.name, url: this.url, ca: this.ca, token });
  }

  isWatched(kind: LoadKind): boolean {
    return this.#watches[kind].size > 0;
  }

  /** Tells the watches of an object as it is now. */
  tell(kind: LoadKind, index: number): void {
    for (const { socket, format } of this.#watches[kind])
      socket.write(this.#cluster.frame(kind, index, format));
  }

  close(): void {
    clearInterval(this.#bookmarks);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const url = new URL(request.url ?? "/", "https://load");
    const last = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    if (request.method !== "GET") return refuse(response, 403);
    if (last === "kube-system") return this.#namespace(response);
    const kind = kindNamed(last);
    if (kind === undefined) return refuse(response, 404);
    const wantsProtobuf = (request.headers.accept ?? "").startsWith(protobufFormat.encoder.contentType);
    const format = wantsProtobuf && !this.#isJson ? protobufFormat : jsonFormat;
    if (url.searchParams.has("watch")) this.#watch(kind, url.searchParams, format, response);
    else this.#list(kind, url.searchParams, format, response);
  }

  #namespace(response: ServerResponse): void {
    const uid = `00000000-0000-4000-8000-${String(this.#cluster.index).padStart(12, "0")}`;
    const body = { kind: "Namespace", apiVersion: "v1", metadata: { name: "kube-system", uid } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #list(kind: LoadKind, query: URLSearchParams, format: LoadFormat, response: ServerResponse): void {
    const from = Number(query.get("continue") ?? 0);
    const limit = Number(query.get("limit") ?? 0);
    const count = this.#cluster.count(kind);
    const page = this.#cluster.page(kind, from, limit === 0 ? count : Math.min(count, from + limit), format);
    response.writeHead(200, {
      ...{ "content-type": format.encoder.contentType, "content-length": page.length },
    });
    response.end(page);
  }

  #watch(kind: LoadKind, query: URLSearchParams, format: LoadFormat, response: ServerResponse): void {
    if (query.has("sendInitialEvents")) return refuse(response, 422);
    const { encoder } = format;
    response.writeHead(200, { "content-type": encoder.watchContentType, "transfer-encoding": "chunked" });
    response.flushHeaders();
    const { socket } = response;
    if (socket === null) return;
    if (Number(query.get("resourceVersion")) < this.#cluster.revision) {
      response.end(encoder.error(kubeStatus(410, "too old resource version")));
      return;
    }
    const watch = { socket, format };
    this.#watches[kind].add(watch);
    response.once("close", () => this.#watches[kind].delete(watch));
  }

  #bookmark(): void {
    for (const kind of Object.keys(this.#watches) as LoadKind[])
      for (const { socket, format } of this.#watches[kind])
        socket.write(chunk(format.encoder.bookmark(resourceRows[kind], this.#cluster.revision)));
  }
}

function kindNamed(name: string): LoadKind | undefined {
  return (["services", "endpointslices", "pods", "nodes"] as const).find((kind) => kind === name);
}

function refuse(response: ServerResponse, code: number): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(kubeStatus(code)));
}
