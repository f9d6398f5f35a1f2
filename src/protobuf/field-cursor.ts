import { WireError } from "./wire-error.ts";

/** Wire types of the protobuf encoding that Kubernetes uses. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const maxVarintBytes = 10;

/**
 * Steps through the fields of one message. A field never reaches past its message: lengths are held against the end that
 * the parent gave.
 */
export class FieldCursor {
  readonly #bytes: Uint8Array;
  readonly #to: number;
  #at: number;
  /** Of the field that `next` found. */
  number = 0;
  wireType = 0;
  /** Where its content stands: of a length-delimited field without the length. */
  start = 0;
  end = 0;
  /** Of a varint field: as a signed 64-bit integer, exact to 2^53. */
  value = 0;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.#at = from;
    this.#to = to;
  }

  /**
   * Goes to the next field; false at the message's end.
   *
   * @throws WireError
   */
  next(): boolean {
    const at = this.#at;
    if (at === this.#to) return false;
    const first = this.#bytes[at] as number;
    const length = this.#bytes[at + 1] as number;
    // Most fields: one byte of tag, one of length. Past the end there is no length, and the slow way finds that.
    if (first < 0x80 && first > 7 && (first & 7) === wireType.bytes && length < 0x80) {
      this.number = first >>> 3;
      this.wireType = wireType.bytes;
      this.start = at + 2;
      this.end = at + 2 + length;
      if (this.end > this.#to) throw new WireError("a field reaches past its message");
      this.#at = this.end;
      return true;
    }
    const tag = this.#varint();
    if (tag < 8 || tag > 0xffff_ffff) throw new WireError("a field has no number");
    this.number = Math.floor(tag / 8);
    this.wireType = tag & 7;
    this.start = this.#at;
    this.end = this.#skip();
    if (this.end > this.#to) throw new WireError("a field reaches past its message");
    this.#at = this.end;
    return true;
  }

  /** Whether the field is this one; a field of that number with another wire type is a fault. */
  is(number: number, type: number): boolean {
    if (this.number !== number) return false;
    if (this.wireType !== type) throw new WireError(`field ${number} has the wrong wire type`);
    return true;
  }

  #skip(): number {
    switch (this.wireType) {
      case wireType.varint:
        this.value = this.#varint();
        return this.#at;
      case wireType.bytes: {
        const length = this.#varint();
        if (length < 0) throw new WireError("a field has a negative length");
        this.start = this.#at;
        return this.#at + length;
      }
      case wireType.fixed64:
        return this.#at + 8;
      case wireType.fixed32:
        return this.#at + 4;
      default:
        throw new WireError("a field has an unknown wire type");
    }
  }

  #varint(): number {
    const first = this.#byte();
    return first < 0x80 ? first : this.#longVarint(first);
  }

  /** Seven bits a byte, the lowest first: 28 bits, 28 bits, and the last eight. */
  #longVarint(first: number): number {
    const parts = { low: first & 0x7f, middle: 0, high: 0 };
    for (let index = 1; index < maxVarintBytes; index++) {
      const byte = this.#byte();
      const bits = (byte & 0x7f) << (7 * (index & 3));
      if (index < 4) parts.low |= bits;
      else if (index < 8) parts.middle |= bits;
      else parts.high |= bits;
      if (byte < 0x80) return signed(parts);
    }
    throw new WireError("a number is too long");
  }

  #byte(): number {
    if (this.#at === this.#to) throw new WireError("a field is cut off");
    return this.#bytes[this.#at++] as number;
  }
}

function signed({
  low,
  middle,
  high,
}: {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}): number {
  if ((high & 0x80) === 0) return low + middle * 2 ** 28 + (high & 0x7f) * 2 ** 56;
  return -((~low & 0xfff_ffff) + (~middle & 0xfff_ffff) * 2 ** 28 + (~high & 0xff) * 2 ** 56 + 1);
}
