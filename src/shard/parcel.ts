import type { MessagePort } from "node:worker_threads";
import type { Packed } from "../store/projection.ts";

/**
 * What crosses between threads at once, in both directions: all that one side had to say in one turn of its event loop.
 * Waking a thread costs several times what a message does.
 */
export type Parcel = readonly Packed[];

/** Hands the bytes over, which must span their whole buffers: they are empty afterwards. */
export function postParcel(port: MessagePort, parcel: Parcel): void {
  port.postMessage(
    parcel,
    parcel.map((bytes) => bytes.buffer),
  );
}
