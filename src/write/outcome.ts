import type { Resource } from "../apisix/types.ts";
import type { Lane } from "./pacer.ts";

/** How one request to APISIX ended, for metrics and logs. `shadow`: it was not sent, for nothing is under `run --shadow`. */
export type WriteOutcome = "done" | "retry" | "refused" | "unknown" | "shadow";

/** What the writer tells of its doings; the observing stage decides what becomes of it. */
export interface WriteObserver {
  /** `propagation`: milliseconds from the read of the event that caused it to the answer. */
  wrote(write: {
    readonly lane: Lane;
    readonly method: "PUT" | "DELETE";
    readonly resource: Resource;
    readonly id: string;
    readonly outcome: WriteOutcome;
    readonly propagation: number | undefined;
    readonly seconds: number;
  }): void;
  repaired(resource: Resource): void;
}
