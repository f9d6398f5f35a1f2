/** How the Admin client speaks to APISIX: undici in the product, memory in the simulation. */

/** `POST`: a body is checked, and nothing is written. */
export type AdminMethod = "GET" | "PUT" | "DELETE" | "POST";

export interface AdminRequest {
  readonly method: AdminMethod;
  /** Path and query under the Admin API, as `/apisix/admin/routes/t-12`. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  /** Milliseconds until the answer's headers; a body must then make progress within the same time. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

export interface AdminResponse {
  readonly status: number;
  /** Lower case, `""` where the server sent none. */
  readonly contentType: string;
  /** The `Server` header, as `APISIX/3.18.0`; `""` where the server sent none. */
  readonly server: string;
  /** Milliseconds that the server asks to be left alone; undefined: it does not. */
  readonly retryAfter?: number | undefined;
  /** Pieces of any size. Throws `ADMIN_CONNECTION` when the connection breaks before the body's end. */
  readonly body: AsyncIterable<Uint8Array>;
  /** A text that the answer says without the admin key that came with the request: a proxy may repeat it. */
  readonly unecho?: (text: string) => string;
  /**
   * To be told by who has read the answer: with a fault where nobody gets further at the URL that sent it, without one
   * where it was the Admin API's. Of several URLs another one is asked next after a fault. Neither: it says nothing of the URL.
   */
  readonly judged?: (fault?: string) => void;
}

/**
 * Sends one request with the admin key. Redirects are not followed.
 *
 * @throws TranslatorError `ADMIN_CONNECTION` (no answer: the request may or may not have been applied), `ABORTED`; an
 * error *status* is a response, not an error.
 */
export type AdminTransport = (request: AdminRequest) => Promise<AdminResponse>;
