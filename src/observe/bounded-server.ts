import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock, Log } from "../runtime.ts";
import type { HttpEndpoint } from "./http-endpoint.ts";
import { errorReply } from "./http-reply.ts";
import type { Reply } from "./http-reply.ts";

/** A target of 4,350 characters, each percent-encoded, and ordinary headers. */
const headerBytes = 20 * 1024;
/** Bodies are not read; one that is longer ends the connection. */
const bodyBytes = 64 * 1024;
const connections = 128;
/** Milliseconds. */
export interface ServerTimes {
  /** For the headers of a request, from the moment of connecting. */
  readonly headers: number;
  /** For the whole request. */
  readonly request: number;
  /** Between two requests of a connection. */
  readonly idle: number;
  /** To take an answer. */
  readonly answer: number;
  /** For what is in flight when the server closes. */
  readonly close: number;
  /** How often connections are looked at. */
  readonly check: number;
}

const usualTimes: ServerTimes = {
  ...{ headers: 5000, request: 10_000, idle: 5000, answer: 30_000, close: 1000, check: 1000 },
};

export interface BoundedServerParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly endpoints: readonly HttpEndpoint[];
  /** Refuses a request before anything else is looked at. */
  readonly refuse?: (request: IncomingMessage) => Reply | undefined;
  readonly times?: ServerTimes;
}

/** An HTTP server whose callers can neither hold it up nor make it grow. Answers JSON, errors as `{error}`. */
export class BoundedServer {
  readonly #parts: BoundedServerParts;
  readonly #times: ServerTimes;
  readonly #server: Server;

  constructor(parts: BoundedServerParts) {
    this.#parts = parts;
    this.#times = parts.times ?? usualTimes;
    const { headers, request: whole, idle, check } = this.#times;
    const options = {
      ...{ maxHeaderSize: headerBytes, headersTimeout: headers, requestTimeout: whole },
      ...{ keepAliveTimeout: idle, connectionsCheckingInterval: check },
    };
    this.#server = createServer(options, (request, response) => void this.#serve(request, response));
    this.#server.maxConnections = connections;
    this.#server.on("clientError", refuseMalformed);
  }

  /**
   * Port 0: any free one. Resolves to the address that it listens on.
   *
   * @throws the system's error where it cannot listen.
   */
  async listen(host: string, port: number): Promise<{ readonly host: string; readonly port: number }> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen({ host, port }, resolve);
    await promise;
    this.#server.off("error", reject);
    const { log } = this.#parts;
    const advice = "see whether the process is out of file descriptors";
    this.#server.on("error", (error) => log.error({ error, advice }, "the HTTP server has a fault"));
    const { address, port: actual } = this.#server.address() as AddressInfo;
    return { host: address, port: actual };
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const cancel = this.#parts.clock.after(this.#times.close, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    drain(request);
    response.on("error", () => response.destroy());
    const reply = await this.#replyTo(request);
    if (response.destroyed) return;
    const cancel = this.#parts.clock.after(this.#times.answer, () => response.destroy());
    response.once("close", cancel);
    response.writeHead(reply.status, {
      "content-type": reply.type,
      "content-length": Buffer.byteLength(reply.text),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...reply.headers,
      ...(request.complete ? {} : { connection: "close" }),
    });
    response.end(reply.text);
  }

  async #replyTo(request: IncomingMessage): Promise<Reply> {
    const { endpoints, refuse, log } = this.#parts;
    const { method = "", url = "" } = request;
    const [path = "", ...query] = url.split("?");
    try {
      const refusal = refuse?.(request);
      if (refusal !== undefined) return refusal;
      const endpoint = endpoints.find((candidate) => candidate.path === path);
      if (endpoint === undefined) {
        const paths = endpoints.map((each) => `${each.method} ${each.path}`).join(", ");
        return errorReply(404, `there is no such path; there are ${paths}`);
      }
      const allowed = endpoint.method === "GET" ? "GET, HEAD" : "POST";
      if (!allowed.split(", ").includes(method))
        return { ...errorReply(405, `allowed: ${allowed}`), headers: { allow: allowed } };
      return await endpoint.answer(new URLSearchParams(query.join("?")));
    } catch (error) {
      const advice = "report it, with this line: it is a fault of the translator";
      log.error({ path, error, advice }, "an HTTP request could not be answered");
      return errorReply(500, "a fault of the translator; its log says more");
    }
  }
}

/** Nobody reads bodies here. */
function drain(request: IncomingMessage): void {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytes) request.destroy();
  });
  request.on("error", () => request.destroy());
}

function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, words] = malformed[error.code ?? ""] ?? [400, "Bad Request"];
  const text = errorReply(status, words).text;
  const head = `HTTP/1.1 ${status} ${words}\r\ncontent-type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}content-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`, () =>
    socket.destroy(),
  );
}

const malformed: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};
