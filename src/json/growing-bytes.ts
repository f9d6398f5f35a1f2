/** Bytes that are appended piece by piece and read as one. Refuses to grow over its limit, so that memory is bounded. */
export class GrowingBytes {
  readonly #limit: number;
  #bytes = new Uint8Array(256);
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  /** False, and nothing appended, where the limit would be passed. */
  append(piece: Uint8Array): boolean {
    if (!this.#reserve(piece.length)) return false;
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
    return true;
  }

  /** As `append`, for one byte. */
  appendByte(byte: number): boolean {
    if (!this.#reserve(1)) return false;
    this.#bytes[this.#length++] = byte;
    return true;
  }

  /** A view that is valid until the next append. */
  view(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(more: number): boolean {
    const needed = this.#length + more;
    if (needed > this.#limit) return false;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    return true;
  }
}
