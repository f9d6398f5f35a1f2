import { Packr } from "msgpackr/pack";
import type { FromShard, ToShard } from "./protocol.ts";

/**
 * Bytes of the messages that cross a thread.
 *
 * `msgpackr/pack` is msgpackr without its native addon. That reads all strings of a message as one and cuts them out of it:
 * whoever keeps one of them keeps all of that message.
 *
 * A result is always an exact-size copy: a pooled buffer that is transferred would take its neighbours with it.
 */

const messages = new Packr({ useRecords: false, encodeUndefinedAsNil: false, variableMapSize: true });

const epochBytes = 4;
/** A batch of usual size; what is larger takes memory of its own. */
const bench = Buffer.allocUnsafeSlow(512 * 1024);

/** A message behind the epoch of its shard, so that one of another epoch can be dropped unread. */
export function encode(epoch: number, message: ToShard | FromShard): Uint8Array {
  messages.useBuffer(bench);
  const packed = messages.pack(message);
  const bytes = new Uint8Array(epochBytes + packed.byteLength);
  new DataView(bytes.buffer).setUint32(0, epoch, true);
  bytes.set(packed, epochBytes);
  return bytes;
}

/** Errors: RangeError where the bytes are too few to be a message. */
export function epochOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
}

/** Whatever the message is: the receiver checks it. Errors: those of msgpackr where the bytes are no message. */
export function decode(bytes: Uint8Array): unknown {
  return messages.unpack(bytes.subarray(epochBytes));
}
