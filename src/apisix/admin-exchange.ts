import type { Dispatcher } from "undici";
import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock } from "../runtime.ts";
import { BodyQueue } from "../body-queue.ts";
import { NotSent } from "./not-sent.ts";
import type { AdminRequest, AdminResponse } from "./transport.ts";
import { retryAfterOf } from "./retry-after.ts";

/**
 * One request on its way: resolves with the answer's head, then feeds its body. Its timeout counts from the start, so
 * that time spent waiting for a connection is part of it; what has not been sent when it ends is never sent.
 */
export class AdminExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<AdminResponse>;
  readonly #request: AdminRequest;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #cancelTimeout: Cancel;
  #progressAt = 0;
  readonly #onAbort = (): void =>
    this.#giveUp(new TranslatorError("ABORTED", `${this.#name} was called off`));
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodyQueue | undefined;
  #givenUp: TranslatorError | undefined;
  #resolve: (response: AdminResponse) => void = () => {};
  #reject: (error: TranslatorError) => void = () => {};

  constructor(request: AdminRequest, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#name = `${request.method} ${request.path}`;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#cancelTimeout = clock.after(request.timeout, () => this.#expired());
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (request.signal?.aborted === true) this.#onAbort();
  }

  get isGivenUp(): boolean {
    return this.#givenUp !== undefined;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A process that was frozen gets its connection before its timers run: by then the write deadline may have passed.
    if (this.#clock.now() - this.#startedAt >= this.#request.timeout) this.#givenUp ??= this.#late();
    this.#controller = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 100 to 199 announce the answer, they are not it.
    if (status < 200) return;
    const body = new BodyQueue({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      cancel: () => {
        this.#release();
        controller.abort(new TranslatorError("ABORTED", `the answer to ${this.#name} is not read further`));
      },
    });
    this.#body = body;
    this.#progressAt = this.#clock.now();
    this.#resolve({
      status,
      contentType: first(headers["content-type"]).toLowerCase(),
      server: first(headers["server"]),
      retryAfter: retryAfterOf(first(headers["retry-after"])),
      body,
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#progressAt = this.#clock.now();
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    this.#body?.finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(this.#givenUp ?? this.#connectionError(error.message, error));
  }

  /** One timer for head and body, not one for each chunk: almost every answer is whole before it fires. */
  #expired(): void {
    if (this.#body === undefined) return this.#giveUp(this.#late());
    const { timeout } = this.#request;
    if (this.#body.isPaused) this.#progressAt = this.#clock.now();
    const left = this.#progressAt + timeout - this.#clock.now();
    if (left <= 0)
      return this.#giveUp(this.#connectionError(`the answer made no progress for ${timeout} ms`));
    this.#cancelTimeout = this.#clock.after(left, () => this.#expired());
  }

  #giveUp(error: TranslatorError): void {
    this.#givenUp ??= error;
    this.#fail(error);
    this.#controller?.abort(error);
  }

  #fail(error: TranslatorError): void {
    this.#release();
    this.#reject(error);
    this.#body?.finish(error);
  }

  #release(): void {
    this.#cancelTimeout();
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }

  #late(): TranslatorError {
    return this.#connectionError(`no answer within ${this.#request.timeout} ms`);
  }

  /** Undici starts a request only on a live connection: one that was not started has not been sent. */
  #connectionError(reason: string, error?: Error): TranslatorError {
    const cause = this.#controller === undefined ? new NotSent(error) : error;
    return new TranslatorError(
      "ADMIN_CONNECTION",
      `${this.#name}: ${reason}`,
      cause === undefined ? {} : { cause },
    );
  }
}

function first(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? "";
}
