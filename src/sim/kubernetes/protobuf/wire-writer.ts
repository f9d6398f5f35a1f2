/** Gathers protobuf fields in memory that grows. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  /** A copy of what was written. */
  taken(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length);
  }

  number(field: number, value: number): void {
    this.#reserve(20);
    this.#varint(field * 8);
    this.#varint(value);
  }

  text(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.head(field, length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  bytes(field: number, value: Uint8Array): void {
    this.head(field, value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Bytes as they are. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** A field whose content `write` writes. */
  nested(field: number, write: () => void): void {
    this.#reserve(11);
    this.#varint(field * 8 + 2);
    // Most are short: one byte is kept for the length, and the content moves where it needs more.
    const lengthAt = this.#length++;
    write();
    const content = this.#length - lengthAt - 1;
    const more = bytesOf(content) - 1;
    if (more > 0) {
      this.#reserve(more);
      this.#bytes.copyWithin(lengthAt + 1 + more, lengthAt + 1, this.#length);
    }
    this.#length = lengthAt;
    this.#varint(content);
    this.#length += content;
  }

  /** What stands before the content of a field of that length. */
  head(field: number, length: number): void {
    this.#reserve(length + 20);
    this.#varint(field * 8 + 2);
    this.#varint(length);
  }

  /** Negative ones are written as 64 bits. */
  #varint(value: number): void {
    if (value < 0) return this.#bigVarint(BigInt.asUintN(64, BigInt(value)));
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  #bigVarint(value: bigint): void {
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#length + more));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

function bytesOf(length: number): number {
  let count = 1;
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) count++;
  return count;
}
