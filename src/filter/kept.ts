import type { Kind } from "../watch/events.ts";
import type { Packed } from "../store/projection.ts";

/** What leaves the filter: changes that some translation could see. */
export type Kept =
  | {
      readonly type: "apply";
      readonly cluster: string;
      readonly kind: Kind;
      readonly namespace: string;
      readonly name: string;
      readonly packed: Packed;
      /** `Clock.now()` when the event was read from the socket. */
      readonly at: number;
    }
  | {
      readonly type: "delete";
      readonly cluster: string;
      readonly kind: Kind;
      readonly namespace: string;
      readonly name: string;
      readonly at: number;
    };

/**
 * Why an event went no further.
 *
 * - `unchanged`: no consumed value differs from what is held.
 * - `unselected`: the object does not opt in, and is not held.
 * - `absent`: a delete of what is not held.
 * - `malformed`: the object is not what its kind must be; counted, logged, and otherwise as if it had not come.
 * - `stale`: said by a session that has been replaced.
 */
export type DropReason = "unchanged" | "unselected" | "absent" | "malformed" | "stale";
