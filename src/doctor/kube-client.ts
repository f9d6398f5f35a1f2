import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import { responseError } from "../watch/api-status.ts";
import { timedRequest } from "../watch/timed-request.ts";
import type { KubeTransport } from "../watch/transport.ts";

const limits = { answer: 10_000, silence: 10_000, whole: 20_000 };
/** A page of 500 objects of the size of a Service or an EndpointSlice. */
const maxBytes = 64 * 1024 * 1024;

export type JsonFields = Readonly<Record<string, unknown>>;

/** What a cluster answered, and when it thinks that it is; wall clock in milliseconds. */
export interface KubeAnswer {
  readonly body: JsonFields;
  readonly date: number | undefined;
}

/** Single requests to one cluster, in JSON. */
export class KubeClient {
  readonly #transport: KubeTransport;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(transport: KubeTransport, clock: Clock, signal: AbortSignal) {
    this.#transport = transport;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** @throws TranslatorError as the transport does; `KUBE_STATUS`; `KUBE_PROTOCOL` where the answer is no JSON object. */
  get(path: string): Promise<KubeAnswer> {
    return this.#send({ method: "GET", path });
  }

  /** @throws TranslatorError as `get` */
  post(path: string, body: object): Promise<KubeAnswer> {
    return this.#send({ method: "POST", path, body: JSON.stringify(body) });
  }

  async #send(asked: {
    readonly method: "GET" | "POST";
    readonly path: string;
    readonly body?: string;
  }): Promise<KubeAnswer> {
    const request = { ...asked, accept: "application/json", signal: this.#signal, limits };
    const response = await timedRequest(this.#transport, this.#clock, request);
    if (response.status !== 200 && response.status !== 201) throw await responseError(response);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) throw new TranslatorError("KUBE_PROTOCOL", "the answer has no end");
    }
    return { body: fieldsIn(Buffer.concat(chunks).toString("utf8")), date: response.date };
  }
}

function fieldsIn(text: string): JsonFields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Said below, like everything else that is no object.
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonFields;
  throw new TranslatorError("KUBE_PROTOCOL", "the server answered with something else than a JSON object");
}

/** The fields of what should be an object; none where it is not. */
export const fieldsOf = (value: unknown): JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};
