const newline = 0x0a;

/**
 * Cuts chunks of bytes into lines without their newline, as views: a line is only good until the next one is asked for.
 * Holds one unfinished line of at most `limit` bytes; the search for its end never starts over.
 */
export class LineSplitter {
  readonly #limit: number;
  #parts: Uint8Array[] = [];
  #pending = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of the unfinished line. */
  get pending(): number {
    return this.#pending;
  }

  /** Ends with `"too long"` where a line passes the limit. */
  *push(chunk: Uint8Array): Generator<Uint8Array | "too long", void, void> {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(newline, start);
      const piece = chunk.subarray(start, end < 0 ? chunk.length : end);
      if (this.#pending + piece.length > this.#limit) return yield "too long";
      if (end < 0) return this.#keep(piece);
      start = end + 1;
      yield this.#complete(piece);
    }
  }

  #keep(piece: Uint8Array): void {
    // A transport may reuse its buffer, and `slice` of a Buffer is a view.
    this.#parts.push(new Uint8Array(piece));
    this.#pending += piece.length;
  }

  #complete(piece: Uint8Array): Uint8Array {
    if (this.#pending === 0) return piece;
    const line = Buffer.concat([...this.#parts, piece]);
    this.#parts = [];
    this.#pending = 0;
    return line;
  }
}
