import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock } from "../runtime.ts";
import type { KubeRequest, KubeResponse, KubeTransport } from "./transport.ts";
import { Watchdog } from "./watchdog.ts";

/** All in milliseconds. */
export interface TimeLimits {
  /** Until status and headers are there. */
  readonly answer: number;
  /** Between two chunks of the body. */
  readonly silence: number;
  /** For the whole response; absent where it may go on, as a watch does. */
  readonly whole?: number;
}

export interface TimedRequest extends KubeRequest {
  readonly limits: TimeLimits;
}

/**
 * Sends a request under three limits of time. Its body must be read, or left by `return` or `throw` from `for await`:
 * that ends the request and its timers.
 *
 * @throws TranslatorError as the transport does, and `KUBE_CONNECTION` when a limit passes; the body likewise.
 */
export async function timedRequest(
  transport: KubeTransport,
  clock: Clock,
  { limits, ...asked }: TimedRequest,
): Promise<KubeResponse> {
  const request = new LimitedTime(clock, asked.signal, limits.whole);
  request.expect(limits.answer, "no answer");
  try {
    const response = await transport({ ...asked, signal: request.signal });
    request.expect(limits.silence, "nothing more");
    return { ...response, body: timedBody(response.body, request) };
  } catch (error) {
    request.end();
    throw request.fault ?? error;
  }
}

async function* timedBody(
  body: AsyncIterable<Uint8Array>,
  request: LimitedTime,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of body) {
      request.touch();
      yield chunk;
    }
    // A transport may end a body quietly when its signal is aborted.
    if (request.signal.aborted) throw new TranslatorError("ABORTED", "the request was called off");
  } catch (error) {
    throw request.fault ?? error;
  } finally {
    request.end();
  }
}

/** Why a request ended, for whoever asks its signal. One for all: an abort without a reason takes a stack trace each time. */
const over = new TranslatorError("ABORTED", "the request was called off");

class LimitedTime {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #unlisten: () => void;
  #whole: Cancel | undefined;
  #watchdog: Watchdog | undefined;
  fault: TranslatorError | undefined;

  constructor(clock: Clock, outer: AbortSignal, whole: number | undefined) {
    this.#clock = clock;
    const abort = (): void => this.#controller.abort(over);
    outer.addEventListener("abort", abort, { once: true });
    this.#unlisten = () => outer.removeEventListener("abort", abort);
    if (outer.aborted) abort();
    if (whole !== undefined) this.#whole = clock.after(whole, () => this.#expire("no end", whole));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  expect(ms: number, what: string): void {
    this.#watchdog?.stop();
    this.#watchdog = new Watchdog(this.#clock, ms, () => this.#expire(what, ms));
  }

  touch(): void {
    this.#watchdog?.touch();
  }

  /** Ends the request, whether it is over or not, and the timers. */
  end(): void {
    this.#whole?.();
    this.#watchdog?.stop();
    this.#unlisten();
    this.#controller.abort(over);
  }

  #expire(what: string, ms: number): void {
    this.fault ??= new TranslatorError("KUBE_CONNECTION", `${what} from the server for ${ms / 1000} s`);
    this.#controller.abort();
  }
}
