import { Pool } from "undici";
import type { TlsMaterial } from "../config/tls-files.ts";
import type { Clock } from "../runtime.ts";
import { unecho } from "../unechoed.ts";
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
  /**
   * Asked for each request, so that files that were replaced are used at once: another object than before is new
   * connections; requests under way end on the old ones. Without it TLS is as Node has it.
   */
  readonly tls?: () => TlsMaterial | undefined;
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
 * the fate of the first), redirects not followed. Several `adminUrls` are several of these, tried in turn by
 * `failoverTransport`.
 */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { adminKey, clock } = options;
  const url = new URL(options.adminUrl);
  const prefix = url.pathname.replace(/\/+$/, "");
  const pools = new Pools(url.origin, options);
  const send = (request: AdminRequest): Promise<AdminResponse> => {
    const exchange = new AdminExchange(request, clock);
    if (exchange.isGivenUp) return exchange.answer;
    const { method, path, body = null } = request;
    // As a list of names and values: undici takes a quarter less for a request than with an object.
    const key = adminKey();
    const headers = ["x-api-key", key];
    if (body !== null) headers.push("content-type", "application/json");
    pools.current().dispatch({ method, path: prefix + path, headers, body }, exchange);
    return exchange.answer.then((response) => ({ ...response, unecho: (text) => unecho(text, key) }));
  };
  return { send, close: () => pools.close() };
}

/** The connections: those in use, and those that end with what is under way on them. */
class Pools {
  readonly #origin: string;
  readonly #options: HttpTransportOptions;
  readonly #retired = new Set<Pool>();
  #material: TlsMaterial | undefined;
  #pool: Pool;

  constructor(origin: string, options: HttpTransportOptions) {
    this.#origin = origin;
    this.#options = options;
    this.#material = options.tls?.();
    this.#pool = this.#open();
  }

  current(): Pool {
    const material = this.#options.tls?.();
    if (material === this.#material) return this.#pool;
    const old = this.#pool;
    this.#material = material;
    this.#pool = this.#open();
    this.#retired.add(old);
    void old.close().then(() => this.#retired.delete(old));
    return this.#pool;
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool, ...this.#retired].map((pool) => pool.destroy()));
  }

  #open(): Pool {
    const { connections, connectTimeout } = this.#options;
    return new Pool(this.#origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAlive,
      keepAliveMaxTimeout: keepAlive,
      maxHeaderSize: maxHeaderBytes,
      // The exchange has timeouts of its own: they count from the call, not from the sending, and by the given clock.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeout, ...tlsOptions(this.#material) },
    });
  }
}

/** Without the keys that are not set: Node takes an `undefined` for a value. */
function tlsOptions(material: TlsMaterial | undefined): {
  ca?: string;
  cert?: string;
  key?: string;
  servername?: string;
} {
  if (material === undefined) return {};
  const { ca, cert, key, serverName } = material;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key: key.reveal() }),
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}
