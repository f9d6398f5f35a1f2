import type { KeptKey } from "../filter/kept.ts";
import type { ShardOptions } from "./protocol.ts";

/** The seam between the shards and what runs them: worker threads, or this very thread in the simulation. */

/** Why a shard was lost; also the label of the metric `worker_restarts_total` (`restartReasons`). */
export type LostReason =
  /** The worker ended by itself. */
  | "exit"
  /** An error that nothing in the worker caught. */
  | "error"
  /** The worker's heap reached its limit. */
  | "memory"
  /** Work was outstanding and nothing came back for too long. */
  | "hang"
  /** It said what no shard says. */
  | "protocol"
  /** It did not get as far as `ready`. */
  | "start";

export interface LinkStart {
  readonly epoch: number;
  readonly options: ShardOptions;
}

export interface LinkEvents {
  /** Everything after `ready`, in the order in which the shard said it. */
  message(bytes: Uint8Array): void;
  /** Said at most once, never after `close`; nothing follows it. */
  lost(reason: LostReason, detail: string): void;
}

export interface ShardLink {
  /** Takes the bytes over; they are sent once this turn of the event loop is over, with all others of it. */
  post(bytes: Uint8Array): void;
  /** What was posted is sent now: its turn is over. */
  flush(): void;
  /** The objects of the group that it works on, or was working on when it was lost; none: nothing in particular, or nobody knows. */
  doing?(): readonly KeptKey[];
  /** Seconds of CPU that its thread has used for it; absent: it has no thread of its own. */
  cpu?(): number;
  /** Seconds of CPU of its thread by the system's count, also while the thread answers nothing. */
  used?(): Promise<number> | undefined;
  /** Ends the worker, whatever it is doing; what it has still said is not heard. */
  close(): Promise<void>;
}

export interface ShardLinks {
  /**
   * Starts one shard, empty. Resolves once it has said `ready`.
   *
   * Errors: `SHARD_LOST` when it dies before that or a deadline passes.
   */
  start(start: LinkStart, on: LinkEvents): Promise<ShardLink>;
  /** Ends every shard and whatever runs them. */
  close(): Promise<void>;
}
