import { Pool } from "undici";
import type { Clock } from "../runtime.ts";
import { AdminExchange } from "./admin-exchange.ts";
import type { AdminRequest, AdminResponse, AdminTransport } from "./transport.ts";

export interface HttpTransportOptions {
  /** As `http://apisix-admin:9180`; a path in it comes before that of each request. */
  readonly adminUrl: string;
  /** Asked for each request, so that a key that was replaced is used at once. */
  readonly adminKey: () => string;
  /** Connections, and so requests at the same time: the writer's concurrency and what reads beside it. */
  readonly connections: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly clock: Clock;
}

export interface HttpTransport {
  readonly send: AdminTransport;
  /** Ends all connections; requests under way end with `ADMIN_CONNECTION`. */
  close(): Promise<void>;
}

/** Below the 60 s after which APISIX's nginx closes an idle connection, so that we close it first. */
const keepAlive = 30_000;
const maxHeaderBytes = 16 << 10;

/**
 * Speaks to one Admin API over HTTP/1.1: keep-alive, one request at a time on a connection (pipelined requests would share
 * the fate of the first), redirects not followed. Several `adminUrls` are several of these, tried in turn by whoever
 * holds them.
 */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { adminKey, clock, connections } = options;
  const url = new URL(options.adminUrl);
  const prefix = url.pathname.replace(/\/+$/, "");
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    keepAliveTimeout: keepAlive,
    keepAliveMaxTimeout: keepAlive,
    maxHeaderSize: maxHeaderBytes,
    // The exchange has timeouts of its own: they count from the call, not from the sending, and by the given clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.connectTimeout },
  });
  const send = (request: AdminRequest): Promise<AdminResponse> => {
    const exchange = new AdminExchange(request, clock);
    if (exchange.isGivenUp) return exchange.answer;
    const { method, path, body = null } = request;
    const headers = {
      "x-api-key": adminKey(),
      ...(body === null ? {} : { "content-type": "application/json" }),
    };
    pool.dispatch({ method, path: prefix + path, headers, body }, exchange);
    return exchange.answer;
  };
  return { send, close: () => pool.destroy() };
}
