import type { MessagePort } from "node:worker_threads";

/**
 * What crosses between threads at once, in both directions: all that one side had to say in one turn of its event loop, each
 * message behind its length. Waking a thread costs several times what a message does, and handing over a buffer of its
 * own for each more than copying it.
 */
export type Parcel = Uint8Array;

const lengthBytes = 4;

/** Sends the messages in their order. */
export function postParcel(port: MessagePort, messages: readonly Uint8Array[]): void {
  let size = 0;
  for (const { byteLength } of messages) size += lengthBytes + byteLength;
  const parcel = new Uint8Array(size);
  const view = new DataView(parcel.buffer);
  let at = 0;
  for (const message of messages) {
    view.setUint32(at, message.byteLength, true);
    parcel.set(message, at + lengthBytes);
    at += lengthBytes + message.byteLength;
  }
  port.postMessage(parcel, [parcel.buffer]);
}

/** The messages of a parcel: views of its bytes. */
export function* messagesOf(parcel: Parcel): Generator<Uint8Array, void, void> {
  const view = new DataView(parcel.buffer, parcel.byteOffset, parcel.byteLength);
  for (let at = 0; at < parcel.byteLength;) {
    const begin = at + lengthBytes;
    at = begin + view.getUint32(at, true);
    yield parcel.subarray(begin, at);
  }
}
