/**
 * Bytes as a string of one-byte characters: what is held, or waits, by the hundred thousand. A typed array costs about 360
 * bytes more (itself, its buffer, the memory behind it): more than most packed projections have. And its memory is outside
 * of the heap: of that V8 collects all garbage whenever 64 MB more have come, in steps of 5 ms at each further buffer,
 * however many of them one turn of the event loop makes (docs/decisions/0028).
 */
export type ByteText = string;

export function byteText(bytes: Uint8Array): ByteText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** To be read at once: short ones are views into memory that others share. */
export function bytesOfText(text: ByteText): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(text, "latin1");
  return new Uint8Array(buffer, byteOffset, length);
}
