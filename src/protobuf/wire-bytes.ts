/** One piece of memory, to be read by the byte and by the word. Indexes count from the buffer's begin. */
export class WireBytes {
  readonly buffer: Buffer;
  readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
