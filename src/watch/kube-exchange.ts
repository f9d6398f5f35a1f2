import { errors, type Dispatcher } from "undici";
import { BodyQueue } from "../body-queue.ts";

/** The head of an answer, and its body as it comes. */
export interface KubeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A list is read as it is parsed: more than this need not wait in memory, of each of hundreds of streams. */
const highWater = 64 << 10;

/**
 * One request to an API server on its way: resolves with the answer's head, then feeds its body. A queue and not undici's
 * own stream: a watch brings a small chunk for each event, and a stream costs more than reading it.
 *
 * Errors: what undici has, and `RequestAbortedError` once `signal` is aborted; after the head they are the body's.
 */
export class KubeExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<KubeAnswer>;
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.#end(new errors.RequestAbortedError());
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodyQueue | undefined;
  #over: Error | undefined;
  #resolve: (answer: KubeAnswer) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over !== undefined) controller.abort(this.#over);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 100 to 199 announce the answer, they are not it.
    if (status < 200) return;
    const body = new BodyQueue(
      {
        pause: () => controller.pause(),
        resume: () => controller.resume(),
        cancel: () => this.#onAbort(),
      },
      highWater,
    );
    this.#body = body;
    this.#resolve({ status, headers, body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(error);
  }

  #end(error: Error): void {
    this.#over ??= error;
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: Error): void {
    this.#release();
    this.#reject(error);
    this.#body?.finish(error);
  }

  #release(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}
