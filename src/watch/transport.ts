/** How the translator speaks to one API server: undici in the product, memory in the simulation. */

export type KubeMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface KubeRequest {
  /** Absent: `GET`. */
  readonly method?: KubeMethod;
  /** Path and query, as `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly accept: string;
  /** JSON text; only where something is written. */
  readonly body?: string;
  /** Of the body; absent: `application/json`. */
  readonly contentType?: string;
  /** Ends the request, and the body while it is read. */
  readonly signal: AbortSignal;
}

export interface KubeResponse {
  readonly status: number;
  /** Lower case, `""` where the server sent none. */
  readonly contentType: string;
  /** Milliseconds from the `Retry-After` header. */
  readonly retryAfter?: number;
  /** The `Date` header, milliseconds since 1970. */
  readonly date?: number;
  /**
   * Pieces of any size. Throws a `TranslatorError` with `KUBE_CONNECTION` when the connection breaks before the body's end.
   * Whoever stops reading early must abort the request's signal.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Takes the request's credential out of what the body says of an error; absent: there is none. Bodies of errors lack it already. */
  readonly unecho?: (text: string) => string;
}

/**
 * Sends one request with the session's credentials. Redirects are not followed.
 *
 * @throws TranslatorError `KUBE_CONNECTION` (no answer: a write may or may not have been applied), `KUBE_CREDENTIALS`,
 * `ABORTED`; an error *status* is a response, not an error.
 */
export type KubeTransport = (request: KubeRequest) => Promise<KubeResponse>;
