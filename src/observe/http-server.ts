import type { IncomingMessage } from "node:http";
import type { ListenAddress } from "../config.ts";
import { TranslatorError } from "../errors.ts";
import type { Clock, Log } from "../runtime.ts";
import { adminEndpoints } from "./admin-endpoints.ts";
import { BoundedServer } from "./bounded-server.ts";
import { errorReply } from "./http-reply.ts";
import type { Reply } from "./http-reply.ts";
import type { Observed } from "./observed.ts";
import { readEndpoints } from "./read-endpoints.ts";

export interface HttpServerParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly listen: ListenAddress;
  readonly admin: ListenAddress;
  readonly observed: Observed;
}

/** `observe.listen`, which anybody may read, and `observe.admin`, which changes things. */
export class HttpServer {
  readonly #parts: HttpServerParts;
  readonly #read: BoundedServer;
  readonly #admin: BoundedServer;

  constructor(parts: HttpServerParts) {
    this.#parts = parts;
    const { clock, log, observed } = parts;
    this.#read = new BoundedServer({ clock, log, endpoints: readEndpoints(observed) });
    this.#admin = new BoundedServer({
      clock,
      log,
      endpoints: adminEndpoints(observed),
      refuse: refuseBrowsers,
    });
  }

  /**
   * Resolves to the addresses that are listened on.
   *
   * @throws TranslatorError `CONFIG_INVALID` where one of the two cannot be listened on; then neither is.
   */
  async start(): Promise<{ readonly listen: ListenAddress; readonly admin: ListenAddress }> {
    const listen = await open(this.#read, "observe.listen", this.#parts.listen);
    try {
      return { listen, admin: await open(this.#admin, "observe.admin", this.#parts.admin) };
    } catch (error) {
      await this.#read.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.#read.close(), this.#admin.close()]);
  }
}

async function open(
  server: BoundedServer,
  key: string,
  { host, port }: ListenAddress,
): Promise<ListenAddress> {
  try {
    return await server.listen(host, port);
  } catch (cause) {
    const problem = `${key}: ${host}:${port} ${whyNot(cause, key)}`;
    throw new TranslatorError("CONFIG_INVALID", `${key} cannot be listened on`, {
      cause,
      problems: [problem],
    });
  }
}

function whyNot(cause: unknown, key: string): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") return `is taken; choose another with --${key}`;
  const why = cause instanceof Error ? cause.message : String(cause);
  return `cannot be listened on: ${why}; allowed is an address of this host`;
}

/**
 * A page in a browser on this host reaches loopback too, and a form may POST without asking; but a browser always says
 * so.
 */
function refuseBrowsers({ headers }: IncomingMessage): Reply | undefined {
  const site = headers["sec-fetch-site"];
  if (headers.origin === undefined && (site === undefined || site === "none")) return undefined;
  return errorReply(403, "requests of web pages are refused here");
}
