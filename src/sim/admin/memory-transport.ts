/**
 * An `AdminTransport` without sockets: the simulation's way to the embedded Admin API. When a request arrives and when its answer does is drawn
 * from the given `Random` and happens on the given `Clock`, so requests overtake each other as they do on connections of their own.
 */
import type { AdminRequest, AdminResponse, AdminTransport } from "../../apisix/transport.ts";
import { TranslatorError } from "../../errors.ts";
import type { Clock, Random } from "../../runtime.ts";
import type { AdminOutcome, EmbeddedAdmin } from "./embedded-admin.ts";
import type { SpoiledReply } from "./spoil-reply.ts";
import { retryAfterOf } from "../../apisix/retry-after.ts";

export interface MemoryTransportOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: the right one. */
  readonly adminKey?: string;
  /** Milliseconds on the way to the server and back, drawn anew for each request; default 0 to 2. */
  readonly latency?: readonly [from: number, to: number];
  /** Largest piece of a body, in bytes. */
  readonly pieceBytes?: number;
}

/** A client that gives up takes nothing back: its request arrives and is applied all the same. */
export function memoryAdminTransport(admin: EmbeddedAdmin, options: MemoryTransportOptions): AdminTransport {
  const { clock, random, latency = [0, 2], adminKey = admin.keys.admin, pieceBytes = 65_536 } = options;
  const draw = () => latency[0] + random() * (latency[1] - latency[0]);
  return (request) =>
    new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal?.aborted === true) return reject(aborted());
      const call = new PendingCall(clock, request, reject);
      const back = draw();
      const receive = (outcome: AdminOutcome) => {
        clock.after(back, () => {
          if (!call.end()) return;
          if (outcome === "reset") reject(broken("connection reset"));
          else resolve(responseOf(outcome, { clock, random, pieceBytes, request }));
        });
      };
      const { method, path, body = "" } = request;
      clock.after(draw(), () =>
        admin.submit({ method, path, headers: { "x-api-key": adminKey }, body }, receive),
      );
    });
}

function broken(what: string): TranslatorError {
  return new TranslatorError("ADMIN_CONNECTION", `The Admin API cannot be reached: ${what}`);
}

function aborted(): TranslatorError {
  return new TranslatorError("ABORTED", "The request to the Admin API was called off");
}

/** Waits for the headers, no longer than the request's timeout and not after an abort. */
class PendingCall {
  readonly #release: () => void;
  #open = true;

  constructor(clock: Clock, request: AdminRequest, reject: (error: TranslatorError) => void) {
    const { signal, timeout } = request;
    const fail = (error: TranslatorError) => {
      if (this.end()) reject(error);
    };
    const cancel = clock.after(timeout, () => fail(broken("no answer in time")));
    const onAbort = () => fail(aborted());
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#release = () => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
  }

  /** @returns Whether it was still open. */
  end(): boolean {
    if (!this.#open) return false;
    this.#open = false;
    this.#release();
    return true;
  }
}

interface BodyContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly pieceBytes: number;
  readonly request: AdminRequest;
}

function responseOf(reply: SpoiledReply, context: BodyContext): AdminResponse {
  return {
    status: reply.status,
    contentType: (reply.headers["content-type"] ?? "").toLowerCase(),
    server: reply.headers["server"] ?? "",
    retryAfter: retryAfterOf(reply.headers["retry-after"]),
    body: piecesOf(reply, context),
  };
}

async function* piecesOf(reply: SpoiledReply, context: BodyContext): AsyncGenerator<Uint8Array, void, void> {
  const { clock, random, pieceBytes, request } = context;
  const bytes = Buffer.from(reply.body.slice(0, reply.kept));
  for (let at = 0; at < bytes.length;) {
    if (request.signal?.aborted === true) throw aborted();
    const next = at + 1 + Math.floor(random() * pieceBytes);
    yield bytes.subarray(at, next);
    at = next;
  }
  if (reply.ending === "end") return;
  if (reply.ending === "reset") throw broken("connection reset while the body was read");
  if (reply.ending === "stall") await stalled(clock, request);
  const filler = Buffer.alloc(pieceBytes, " ");
  for (;;) {
    if (request.signal?.aborted === true) throw aborted();
    await new Promise<void>((resolve) => {
      clock.soon(resolve);
    });
    yield filler;
  }
}

/** Nothing more comes: ends with the request's timeout or its abort. */
function stalled(clock: Clock, request: AdminRequest): Promise<never> {
  return new Promise((_, reject) => {
    const call: PendingCall = new PendingCall(clock, request, reject);
    if (request.signal?.aborted === true && call.end()) reject(aborted());
  });
}
