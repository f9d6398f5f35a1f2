import { TranslatorError } from "../../errors.ts";
import type { Cancel, Clock, Random } from "../../runtime.ts";
import type { KubeResponse } from "../../watch/transport.ts";
import type { ResponseSink } from "./response-sink.ts";

export interface MemoryLine {
  readonly clock: Clock;
  /** Milliseconds from one side to the other, asked for each piece; pieces never overtake each other. */
  readonly latency: () => number;
  /** Where given, pieces are cut in two at random places, as TCP may. */
  readonly chop: Random | undefined;
}

/**
 * One request's way back in memory: the handler writes into it as a `ResponseSink`, the client reads `response`.
 * Bytes arrive in order after the latency, by the clock; a broken connection loses nothing that was sent before it.
 */
export class MemoryExchange implements ResponseSink {
  readonly response: Promise<KubeResponse>;
  readonly #line: MemoryLine;
  readonly #inFlight: { readonly at: number; readonly arrive: () => void }[] = [];
  readonly #received: Uint8Array[] = [];
  readonly #closers: (() => void)[] = [];
  #resolve: (response: KubeResponse) => void = () => {};
  #reject: (error: TranslatorError) => void = () => {};
  #cancelArrival: Cancel = () => {};
  #waitingBytes = 0;
  #drained: (() => void) | undefined;
  #wake: () => void = () => {};
  #ended = false;
  #failure: TranslatorError | undefined;
  /** The server's side is over: nothing it sends counts any more. */
  #closed = false;
  #settled: (() => void) | undefined;

  constructor(line: MemoryLine) {
    this.#line = line;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    const contentType = (headers["content-type"] ?? "").toLowerCase();
    const retrySeconds = Number(headers["retry-after"]);
    const retry = Number.isFinite(retrySeconds) ? { retryAfter: retrySeconds * 1000 } : {};
    this.#send(() => this.#resolve({ status, contentType, ...retry, body: this.#read() }));
  }

  write(bytes: Uint8Array): number {
    if (this.#closed) return 0;
    this.#waitingBytes += bytes.byteLength;
    for (const piece of this.#pieces(bytes)) {
      this.#send(() => {
        this.#received.push(piece);
        this.#wake();
      });
    }
    return this.#waitingBytes;
  }

  end(): void {
    this.#send(() => {
      this.#ended = true;
      this.#settle();
    });
    this.#close();
  }

  destroy(): void {
    this.#send(() => this.#fail(new TranslatorError("KUBE_CONNECTION", "the connection was reset")));
    this.#close();
  }

  onDrain(run: () => void): void {
    if (this.#waitingBytes > 0) this.#drained = run;
    else this.#line.clock.soon(run);
  }

  onClose(run: () => void): void {
    this.#closers.push(run);
  }

  /** Calls `run` once when the client has all that will come: calling off means nothing any more. */
  onSettled(run: () => void): void {
    this.#settled = run;
  }

  /** The client gives up. */
  abort(): void {
    this.#cancelArrival();
    this.#inFlight.length = 0;
    this.#fail(new TranslatorError("ABORTED", "the request was called off"));
    this.#close();
  }

  #fail(error: TranslatorError): void {
    if (this.#ended) return;
    this.#failure = error;
    this.#reject(error);
    this.#settle();
  }

  #settle(): void {
    this.#settled?.();
    this.#settled = undefined;
    this.#wake();
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const run of this.#closers) run();
  }

  #pieces(bytes: Uint8Array): Uint8Array[] {
    const chop = this.#line.chop;
    if (chop === undefined || bytes.byteLength < 2 || chop() < 0.5) return [bytes];
    const at = 1 + Math.floor(chop() * (bytes.byteLength - 1));
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }

  #send(arrive: () => void): void {
    if (this.#closed) return;
    // First in, first out: a piece with less latency still waits behind those before it.
    this.#inFlight.push({ at: this.#line.clock.now() + this.#line.latency(), arrive });
    if (this.#inFlight.length === 1) this.#awaitArrival();
  }

  #awaitArrival(): void {
    const [first] = this.#inFlight;
    if (first === undefined) return;
    const now = this.#line.clock.now();
    this.#cancelArrival = this.#line.clock.after(Math.max(0, first.at - now), () => {
      const time = this.#line.clock.now();
      while (this.#inFlight[0] !== undefined && this.#inFlight[0].at <= time)
        this.#inFlight.shift()?.arrive();
      this.#awaitArrival();
    });
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const piece = this.#failure?.code === "ABORTED" ? undefined : this.#received.shift();
        if (piece !== undefined) {
          yield this.#taken(piece);
        } else if (this.#failure !== undefined) {
          throw this.#failure;
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      this.#close();
    }
  }

  #taken(piece: Uint8Array): Uint8Array {
    this.#waitingBytes -= piece.byteLength;
    const run = this.#drained;
    if (this.#waitingBytes > 0 || run === undefined) return piece;
    this.#drained = undefined;
    this.#line.clock.soon(run);
    return piece;
  }
}
