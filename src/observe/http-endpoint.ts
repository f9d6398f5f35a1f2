import type { Reply } from "./http-reply.ts";

/** One path and the one thing that it does. */
export interface HttpEndpoint {
  /** Compared as sent: nothing is decoded or normalised. */
  readonly path: string;
  /** `GET` answers `HEAD` too. */
  readonly method: "GET" | "POST";
  answer(query: URLSearchParams): Reply | Promise<Reply>;
}
