import type { Reply } from "./http-reply.ts";

/** One path and the one thing that it does. */
export interface HttpEndpoint {
  /** Compared as sent: nothing is decoded or normalised. */
  readonly path: string;
  /** `GET` answers `HEAD` too. */
  readonly method: "GET" | "POST";
  /** Costs next to nothing, and is answered however much else is asked: whoever floods the others must not end the process. */
  readonly isProbe?: boolean;
  answer(query: URLSearchParams): Reply | Promise<Reply>;
}
