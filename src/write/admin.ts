import type { CheckResult, ReadResult, WriteResult } from "../apisix/judge-answer.ts";
import type { Resource } from "../apisix/types.ts";

/** What the writer asks of APISIX. Results are sorted by type; retry is decided by it, never by message. */
export interface Admin {
  put(resource: Resource, id: string, body: string): Promise<WriteResult>;
  remove(resource: Resource, id: string): Promise<WriteResult>;
  check(resource: Resource, body: string): Promise<CheckResult>;
  read(resource: Resource, id: string): Promise<ReadResult>;
}

/** How a write did not end well. */
export type Failure = Exclude<WriteResult, { type: "done" }>;
