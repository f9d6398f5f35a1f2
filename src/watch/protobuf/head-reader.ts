import { wireType } from "../../protobuf/field-cursor.ts";
import { WireError } from "../../protobuf/wire-error.ts";

/** A length or a tag that takes more is none that Kubernetes sends; a number's value is only skipped. */
const maxHeadBytes = 5;
const maxNumberBytes = 10;

const fixedLengths: Readonly<Partial<Record<number, number>>> = {
  [wireType.fixed64]: 8,
  [wireType.fixed32]: 4,
};

/** Reads the tag of a field and what follows it (a length, or a number's value) byte by byte, over chunks. */
export class HeadReader {
  /** Of the field whose head is complete. */
  number = 0;
  type = 0;
  /** Length of its content. */
  value = 0;
  #isTag = true;
  #count = 0;
  #sum = 0;

  /** Whether a head has begun and not ended. */
  get isInside(): boolean {
    return !this.#isTag || this.#count > 0;
  }

  /**
   * Index after the bytes that were read: those up to the head's end, or all.
   *
   * @throws WireError
   */
  read(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at++] as number;
      if (!this.#takes(byte)) continue;
      const sum = this.#sum;
      this.#count = 0;
      this.#sum = 0;
      if (this.#isTag && this.#tag(sum)) continue;
      if (!this.#isTag) this.value = this.type === wireType.varint ? 0 : sum;
      this.#isTag = true;
      return at;
    }
    return at;
  }

  /** True at the last byte of a varint. */
  #takes(byte: number): boolean {
    this.#sum += (byte & 0x7f) * 2 ** (7 * this.#count++);
    const limit = !this.#isTag && this.type === wireType.varint ? maxNumberBytes : maxHeadBytes;
    if (this.#count > limit || (byte > 0x7f && this.#count === limit))
      throw new WireError("a number is too long");
    return byte < 0x80;
  }

  /** True where more follows before the content. */
  #tag(tag: number): boolean {
    this.number = Math.floor(tag / 8);
    this.type = tag % 8;
    if (this.number === 0) throw new WireError("a field has no number");
    const fixed = fixedLengths[this.type];
    if (fixed !== undefined) {
      this.value = fixed;
      return false;
    }
    if (this.type !== wireType.varint && this.type !== wireType.bytes) {
      throw new WireError("a field has an unknown wire type");
    }
    this.#isTag = false;
    return true;
  }
}
