import type { JsonObject, Resource } from "../apisix/types.ts";

/** What the writer asks of APISIX. Results are sorted by type; retry is decided by it, never by message. */
export interface Admin {
  put(resource: Resource, id: string, body: string): Promise<WriteResult>;
  remove(resource: Resource, id: string): Promise<WriteResult>;
  read(resource: Resource, id: string): Promise<ReadResult>;
}

export type WriteResult =
  | { readonly type: "done"; readonly status: number }
  /** Not applied; the same request may succeed later. `gateway`: nothing else will do better now. */
  | {
      readonly type: "retry";
      readonly reason: string;
      readonly scope: "id" | "gateway";
      readonly status?: number;
      /** Milliseconds. */
      readonly retryAfter?: number;
    }
  /** Not applied, and will not be: the body is wrong. */
  | { readonly type: "refused"; readonly status: number; readonly message: string }
  /** Ended without an answer that can be used: it may have been applied, or be applied later. */
  | { readonly type: "unknown"; readonly reason: string };

export type ReadResult =
  | { readonly type: "found"; readonly object: JsonObject }
  | { readonly type: "absent" }
  | { readonly type: "retry"; readonly reason: string; readonly scope: "id" | "gateway" };
