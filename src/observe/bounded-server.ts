import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock, Log } from "../runtime.ts";
import { BoundedSet } from "./bounded-set.ts";
import type { HttpEndpoint } from "./http-endpoint.ts";
import { errorReply } from "./http-reply.ts";
import type { Reply } from "./http-reply.ts";
import { RequestRate } from "./request-rate.ts";

/** A target of 4,350 characters, each percent-encoded, and ordinary headers. */
const headerBytes = 20 * 1024;
/** Bodies are not read; one that is longer ends the connection. */
const bodyBytes = 64 * 1024;
/** One more, and the one that has asked nothing for longest makes room: probes get through whoever holds the others. */
const connections = 128;
/** Of all answers together that are made and not taken yet; one more, and the oldest is cut off. */
const answerBytes = 32 * 2 ** 20;
/** What is asked beyond it is answered with a 429; probes do not count. */
const rate = { perSecond: 100, burst: 200 };
/** Seconds: the bucket is full again after two. */
const retryAfter = "1";

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
  readonly #rate: RequestRate;
  readonly #connections = new BoundedSet<Socket>(connections, (socket) => socket.destroy());
  readonly #answers = new BoundedSet<ServerResponse>(answerBytes, ({ req }) => req.socket.destroy());

  constructor(parts: BoundedServerParts) {
    this.#parts = parts;
    this.#times = parts.times ?? usualTimes;
    const { headers, request: whole, idle, check } = this.#times;
    const options = {
      ...{ maxHeaderSize: headerBytes, headersTimeout: headers, requestTimeout: whole },
      ...{ keepAliveTimeout: idle, connectionsCheckingInterval: check },
    };
    this.#server = createServer(options, (request, response) => void this.#serve(request, response));
    this.#server.on("clientError", refuseMalformed);
    this.#server.on("connection", (socket: Socket) => {
      this.#connections.add(socket);
      // Pipelined answers each listen for its end.
      socket.setMaxListeners(0);
      socket.once("close", () => this.#connections.delete(socket));
    });
    this.#rate = new RequestRate(parts.clock, rate);
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
    const { socket } = request;
    drain(request);
    this.#connections.add(socket);
    response.on("error", () => socket.destroy());
    const reply = await this.#replyTo(request);
    if (socket.destroyed) return;
    this.#hold(response, reply.text.length, socket);
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

  /** Until it is taken. A pipelined answer that waits behind another has no end of its own, but its connection's. */
  #hold(response: ServerResponse, bytes: number, socket: Socket): void {
    const cancel = this.#parts.clock.after(this.#times.answer, () => socket.destroy());
    this.#answers.add(response, bytes);
    const letGo = (): void => {
      cancel();
      this.#answers.delete(response);
      response.off("close", letGo);
      socket.off("close", letGo);
    };
    response.once("close", letGo);
    socket.once("close", letGo);
  }

  async #replyTo(request: IncomingMessage): Promise<Reply> {
    const { endpoints, refuse, log } = this.#parts;
    const { method = "", url = "" } = request;
    const [path = "", ...query] = url.split("?");
    try {
      // RFC 9112, 3.2: of two nobody knows which one a proxy before us took.
      if ((request.headersDistinct["host"]?.length ?? 0) > 1) return errorReply(400, "two Host headers");
      const refusal = refuse?.(request);
      if (refusal !== undefined) return refusal;
      const endpoint = endpoints.find((candidate) => candidate.path === path);
      if (endpoint?.isProbe !== true && !this.#rate.take()) return tooMany;
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

const tooMany: Reply = {
  ...errorReply(429, `too many requests: more than ${rate.perSecond} a second`),
  headers: { "retry-after": retryAfter },
};

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
