import type { Packed } from "./projection.ts";

/**
 * Bytes as a string of one-byte characters: what is held by the hundred thousand. A typed array costs about 360 bytes more
 * (itself, its buffer, the memory behind it): more than most packed projections have.
 */
export type ByteText = string;

export function byteText(bytes: Uint8Array): ByteText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The first `length` bytes, in memory of their own. */
export function bytesOfText(text: ByteText, length = text.length): Packed {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
