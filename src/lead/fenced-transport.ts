import { NotSent } from "../apisix/not-sent.ts";
import type { AdminTransport } from "../apisix/transport.ts";
import { TranslatorError } from "../errors.ts";

export interface Fence {
  /** Whether a request that takes at most `timeout` milliseconds may still be sent. */
  mayWrite(timeout: number): boolean;
  /** A write came too late. */
  forfeit(reason: string): void;
}

/**
 * The way to the Admin API, through which nothing that changes anything goes after the write deadline. What is refused was
 * not sent (the writer takes it for a gateway that cannot be reached), and leadership counts as lost. Reads pass.
 *
 * The fence stands here, before every request whoever asks for it, and not at the writer: there is no way around it.
 */
export function fencedTransport(send: AdminTransport, fence: Fence): AdminTransport {
  return (request) => {
    if (request.method !== "GET" && !fence.mayWrite(request.timeout)) {
      const reason = `a write would have ended after the write deadline`;
      fence.forfeit(reason);
      const message = `${request.method} ${request.path}: ${reason}`;
      const error = new TranslatorError("ADMIN_CONNECTION", message, { cause: new NotSent(undefined) });
      return Promise.reject(error);
    }
    return send(request);
  };
}
