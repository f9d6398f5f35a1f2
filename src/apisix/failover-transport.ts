import { TranslatorError } from "../errors.ts";
import type { Clock, Log } from "../runtime.ts";
import { NotSent } from "./not-sent.ts";
import type { AdminRequest, AdminResponse, AdminTransport } from "./transport.ts";

/** One of `gateway.adminUrls`, and the way to it. */
export interface AdminUrl {
  readonly url: string;
  readonly send: AdminTransport;
}

export interface FailoverParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** An attempt elsewhere that has less than this share of an even part of the time could only end in doubt. */
const leastShare = 0.5;

/**
 * Several URLs of one Admin API, tried in turn; the one that works is kept.
 *
 * Guarantees: a request that changes something goes to another URL only if it was not sent to the one before; one that
 * ended in doubt is answered as in doubt. All attempts together keep within the request's own timeout, which the write
 * deadline counts with. A URL that failed, or whose answer was judged to be of no use whatever is asked (a proxy's, another
 * server's, a refused key, an APISIX without its etcd), is not the first choice of the next request; the answer itself is
 * handed on. So each failed request moves on by one URL at most, and the caller's own pauses are those between URLs.
 *
 * Assumption: all URLs serve one etcd. An Admin API of another one answers as well as this one does.
 */
export function failoverTransport(urls: readonly AdminUrl[], parts: FailoverParts): AdminTransport {
  const [only] = urls;
  if (urls.length === 1 && only !== undefined) return only.send;
  const failover = new Failover(urls, parts);
  return (request) => failover.send(request);
}

class Failover {
  readonly #urls: readonly AdminUrl[];
  readonly #parts: FailoverParts;
  /** The first choice. */
  #current = 0;
  /** Who was last found to work; the first one is expected to. */
  #settled = 0;
  #reason = "";

  constructor(urls: readonly AdminUrl[], parts: FailoverParts) {
    this.#urls = urls;
    this.#parts = parts;
  }

  async send(request: AdminRequest): Promise<AdminResponse> {
    const { clock } = this.#parts;
    const end = clock.now() + request.timeout;
    const least = (leastShare * request.timeout) / this.#urls.length;
    const failures = new Map<number, TranslatorError>();
    for (let at = this.#current, timeout = request.timeout; ;) {
      try {
        const response = await this.#at(at).send({ ...request, timeout });
        const judged = (fault?: string): void =>
          fault === undefined ? this.#works(at) : this.#leave(at, fault);
        return { ...response, judged };
      } catch (error) {
        if (!(error instanceof TranslatorError) || error.code !== "ADMIN_CONNECTION") throw error;
        failures.set(at, error);
        this.#leave(at, error.message);
        timeout = end - clock.now();
        const next = this.#untried(failures);
        if (next === undefined || timeout < least || !mayRepeat(request, error))
          throw this.#failure(request, failures, error);
        at = next;
      }
    }
  }

  #at(index: number): AdminUrl {
    const found = this.#urls[index];
    if (found === undefined) throw new RangeError(`there is no URL ${index}`);
    return found;
  }

  #untried(failures: ReadonlyMap<number, unknown>): number | undefined {
    for (let step = 0; step < this.#urls.length; step++) {
      const index = (this.#current + step) % this.#urls.length;
      if (!failures.has(index)) return index;
    }
    return undefined;
  }

  #works(at: number): void {
    if (at === this.#settled || at !== this.#current) return;
    const { log } = this.#parts;
    const [from, to] = [this.#at(this.#settled).url, this.#at(at).url];
    this.#settled = at;
    const advice = "see that the Admin API answers there; nothing is lost meanwhile";
    log.warn({ from, to, reason: this.#reason, advice }, "another URL of the Admin API is used");
  }

  /** Others may have turned away from it already. */
  #leave(at: number, reason: string): void {
    if (at === this.#settled) this.#reason = reason;
    if (at === this.#current) this.#current = (at + 1) % this.#urls.length;
  }

  /** Of the last attempt: only that one may have been sent. */
  #failure(
    request: AdminRequest,
    failures: ReadonlyMap<number, TranslatorError>,
    last: TranslatorError,
  ): TranslatorError {
    const reasons = [...failures].map(([index, { message }]) => `${this.#at(index).url}: ${message}`);
    return new TranslatorError(
      "ADMIN_CONNECTION",
      failures.size === 1
        ? last.message
        : `${request.method} ${request.path}: no URL of the Admin API answers (${reasons.join("; ")})`,
      { cause: last.cause ?? last },
    );
  }
}

/** A read or a check changes nothing, wherever it was sent before. */
function mayRepeat({ method, signal }: AdminRequest, error: TranslatorError): boolean {
  return (
    signal?.aborted !== true && (method === "GET" || method === "POST" || error.cause instanceof NotSent)
  );
}
