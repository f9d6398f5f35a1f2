import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import { responseError } from "./api-status.ts";
import type { KubeConnection } from "./kube-connection.ts";
import { timedRequest, type TimedRequest } from "./timed-request.ts";
import type { KubeResponse } from "./transport.ts";

/**
 * A connection for one purpose: its requests wait behind nothing else, and nothing waits behind them. Made when it is
 * first needed, and anew once its credential was refused: that may have been replaced where it came from.
 */
export class OwnConnection {
  readonly #clock: Clock;
  readonly #connect: (signal: AbortSignal) => Promise<KubeConnection>;
  #connection: Promise<KubeConnection> | undefined;
  /** Ends the attempt to connect. */
  #attempt = new AbortController();

  /** `signal`: nobody waits for it any more. */
  constructor(clock: Clock, connect: (signal: AbortSignal) => Promise<KubeConnection>) {
    this.#clock = clock;
    this.#connect = connect;
  }

  /** @throws TranslatorError as `connect` and `timedRequest` do. */
  async send(request: TimedRequest): Promise<KubeResponse> {
    const transport = await this.#connected();
    try {
      return await timedRequest(transport, this.#clock, request);
    } catch (error) {
      if (error instanceof TranslatorError && error.code === "KUBE_CREDENTIALS") void this.close();
      throw error;
    }
  }

  /** What an answer that is no success says. Reads its body. */
  async fault(response: KubeResponse): Promise<TranslatorError> {
    const error = await responseError(response);
    if (error.status === 401) void this.close();
    return error;
  }

  /** Ends its requests. */
  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#attempt.abort();
    await (await connection?.catch(() => undefined))?.close();
  }

  #connected(): Promise<KubeConnection> {
    if (this.#connection !== undefined) return this.#connection;
    this.#attempt = new AbortController();
    const connection = this.#connect(this.#attempt.signal);
    this.#connection = connection;
    connection.catch(() => {
      if (this.#connection === connection) this.#connection = undefined;
    });
    return connection;
  }
}
