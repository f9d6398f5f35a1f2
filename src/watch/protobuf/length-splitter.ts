import { WireBytes } from "../../protobuf/wire-bytes.ts";
import { WireError } from "../../protobuf/wire-error.ts";

/** Bytes of a frame's length, the highest first. */
const headLength = 4;

/** One frame without its length. Good until the next one is asked for. */
export interface WireFrame {
  readonly bytes: WireBytes;
  readonly from: number;
  readonly to: number;
}

/**
 * Cuts chunks of bytes into frames that tell their length. Holds one unfinished frame of at most `limit` bytes, in
 * memory that grows with what has come and not with what a length promises.
 */
export class LengthSplitter {
  readonly #limit: number;
  #unfinished = new WireBytes(new Uint8Array(1024));
  /** Bytes of it that have come. */
  #kept = 0;
  #headBytes = 0;
  /** Of the frame that is being read, once its head is complete. */
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a frame has begun and not ended. */
  get isInside(): boolean {
    return this.#headBytes > 0;
  }

  /** @throws WireError where a frame passes the limit. */
  *push(chunk: Uint8Array): Generator<WireFrame, void, void> {
    const bytes = new WireBytes(chunk);
    let at = 0;
    while (at < chunk.length) {
      if (this.#headBytes < headLength) {
        at = this.#readHead(bytes, at);
        if (this.#headBytes < headLength) return;
        if (this.#length > this.#limit) throw new WireError(`a frame is longer than ${this.#limit} bytes`);
      }
      const missing = this.#length - this.#kept;
      const end = at + missing;
      if (end > chunk.length) return this.#keep(bytes.buffer, at, chunk.length);
      this.#headBytes = 0;
      if (missing === this.#length) {
        yield { bytes, from: at, to: end };
      } else {
        this.#keep(bytes.buffer, at, end);
        this.#kept = 0;
        yield { bytes: this.#unfinished, from: 0, to: this.#length };
      }
      at = end;
    }
  }

  #readHead({ buffer, view }: WireBytes, from: number): number {
    if (this.#headBytes === 0 && buffer.length - from >= headLength) {
      this.#headBytes = headLength;
      this.#length = view.getUint32(from);
      return from + headLength;
    }
    let at = from;
    if (this.#headBytes === 0) this.#length = 0;
    while (at < buffer.length && this.#headBytes < headLength) {
      this.#length = this.#length * 256 + (buffer[at++] as number);
      this.#headBytes++;
    }
    return at;
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    const { buffer } = this.#unfinished;
    const needed = this.#kept + to - from;
    if (needed > buffer.length) {
      const grown = new Uint8Array(Math.max(needed, Math.min(this.#limit, 2 * buffer.length)));
      grown.set(buffer.subarray(0, this.#kept));
      this.#unfinished = new WireBytes(grown);
    }
    chunk.copy(this.#unfinished.buffer, this.#kept, from, to);
    this.#kept = needed;
  }
}
