import type { Kind } from "../watch/events.ts";
import type { Packed } from "../store/projection.ts";

/** Which object, and where it belongs. */
export interface KeptKey {
  readonly cluster: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Of an EndpointSlice, the name of its Service: one that moves to another leaves the first and comes to the second. */
  readonly service?: string;
}

/**
 * What leaves the filter: changes that some translation could see. `at` is `Clock.now()` when the event was read from the
 * socket; 0: no event caused it. `Content`: the packed projection, as it is held or as it crosses a thread.
 */
export type Kept<Content extends Packed | Uint8Array = Packed> =
  | (KeptKey & { readonly type: "apply"; readonly packed: Content; readonly at: number })
  | (KeptKey & { readonly type: "delete"; readonly at: number });

/**
 * Why an event went no further.
 *
 * - `generation`: uid and generation are those that last came, and the kind's generation moves with all that is consumed.
 * - `identical`: the consumed fields are, byte by byte on the wire, those that last came; nothing was decoded.
 * - `unchanged`: decoded, and no consumed value differs from what is held.
 * - `unselected`: the object does not opt in, and is not held.
 * - `absent`: a delete of what is not held.
 * - `malformed`: the object is not what its kind must be; counted, logged, and otherwise as if it had not come.
 * - `stale`: said by a session that has been replaced.
 */
export type DropReason =
  | "generation"
  | "identical"
  | "unchanged"
  | "unselected"
  | "absent"
  | "malformed"
  | "stale";
