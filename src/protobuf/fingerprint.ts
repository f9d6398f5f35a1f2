import { consumedKey } from "./consumed-key.ts";
import { action, type ConsumedField, type ConsumedMessage } from "./consumed-message.ts";
import { FieldCursor } from "./field-cursor.ts";
import type { WireBytes } from "./wire-bytes.ts";

/** 64 bits, as two signed 32-bit integers; never both 0. */
export interface Fingerprint {
  readonly low: number;
  readonly high: number;
}

/** Two random 32-bit integers, the same for all that is to be compared. */
export type Seed = readonly [number, number];

/** Primes whose bits look like chance (xxHash's). */
const factorA = 0x9e3779b1 | 0;
const factorB = 0x85ebca77 | 0;
const addendA = 0x561ccd1b;
const addendB = 0x0bcaa747;

/** Hashed at a message's begin and end, so that what stands inside cannot be taken for what stands beside. */
const endMark = -1;

/**
 * Hashes the consumed fields of an object where they stand on the wire: equal consumed bytes give equal fingerprints,
 * different ones different fingerprints but for a chance of 2^-64. Nothing is decoded and nothing allocated on the way.
 *
 * Consumed fields that stand side by side are one run, hashed with its length; tags and lengths are part of it. The same
 * content in another order has another fingerprint: that costs a decoding, never truth.
 *
 * The hash is built as MurmurHash3 for 32-bit machines, of two lanes: each word is mixed by itself first, so that no
 * single bit of it has a foreseeable effect. It does not withstand somebody who constructs collisions: who makes two states
 * of his object collide hides his own change and nothing else.
 */
export class Fingerprinter {
  readonly #message: ConsumedMessage;
  readonly #seed: Seed;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #a = 0;
  #b = 0;
  #start = 0;
  #end = 0;

  constructor(message: ConsumedMessage, seed: Seed) {
    this.#message = message;
    this.#seed = seed;
  }

  /**
   * Of the object that stands from `from` to `to`.
   *
   * @throws WireError where it is no message of the shape, as far as its consumed fields tell.
   */
  of({ buffer, view }: WireBytes, from: number, to: number): Fingerprint {
    this.#bytes = buffer;
    this.#view = view;
    this.#a = this.#seed[0] | 0;
    this.#b = this.#seed[1] | 0;
    this.#walk(this.#message, from, to);
    return this.#finished();
  }

  /** Of bytes as they stand, and of two numbers below 2^53. */
  ofBytes(
    { buffer, view }: WireBytes,
    from: number,
    to: number,
    numbers: readonly [number, number],
  ): Fingerprint {
    this.#bytes = buffer;
    this.#view = view;
    this.#a = this.#seed[0] | 0;
    this.#b = this.#seed[1] | 0;
    for (const number of numbers) this.#step(number | 0, Math.floor(number / 2 ** 32) | 0);
    this.#hash(from, to);
    return this.#finished();
  }

  #finished(): Fingerprint {
    const low = mixed(this.#a ^ rotated(this.#b, 16));
    const high = mixed(this.#b ^ low);
    return low === 0 && high === 0 ? { low: 1, high } : { low, high };
  }

  /** The hot loop: one look at the tag byte says what to do. */
  #walk(message: ConsumedMessage, from: number, to: number): void {
    const bytes = this.#bytes;
    const { actions, byTag } = message;
    let at = from;
    let run = -1;
    while (at < to) {
      const tag = bytes[at] as number;
      const what = actions[tag] as number;
      let start = at + 2;
      let length = bytes[at + 1] as number;
      if (length > 127) {
        const more = bytes[start++] as number;
        length = more > 127 ? Number.NaN : length + ((more - 1) << 7);
      }
      const end = start + length;
      // Written so that it also refuses what was read past the bytes' end.
      if (what === action.look || !(end <= to)) {
        const field = this.#look(message, at, to);
        if (field?.action === action.take) {
          if (run < 0) run = at;
        } else {
          if (run >= 0) this.#hash(run, at);
          run = -1;
          if (field !== undefined) this.#consume(field, at, this.#start, this.#end);
        }
        at = this.#end;
      } else {
        if (what === action.take) {
          if (run < 0) run = at;
        } else {
          if (run >= 0) this.#hash(run, at);
          run = -1;
          if (what !== action.skip) this.#consume(byTag[tag] as ConsumedField, at, start, end);
        }
        at = end;
      }
    }
    if (run >= 0) this.#hash(run, to);
  }

  /**
   * A field whose tag or length is long, that is no bytes, or that reaches past its message. Where its content stands is
   * left in `#start` and `#end`.
   */
  #look(message: ConsumedMessage, at: number, to: number): ConsumedField | undefined {
    const cursor = new FieldCursor(this.#bytes, at, to);
    cursor.next();
    this.#start = cursor.start;
    this.#end = cursor.end;
    const field = message.fields.get(cursor.number);
    if (field !== undefined) cursor.is(cursor.number, field.wireType);
    return field;
  }

  #consume(
    { action: what, number, message, keys }: ConsumedField,
    at: number,
    start: number,
    end: number,
  ): void {
    if (what === action.enter && message !== undefined) {
      this.#mark(number);
      this.#walk(message, start, end);
      this.#mark(endMark);
    } else if (consumedKey(this.#bytes, keys, start, end) !== undefined) {
      this.#hash(at, end);
    }
  }

  #mark(word: number): void {
    this.#step(word, 0);
  }

  /** `#step` for each eight bytes, its lanes in registers: the loop in which most of the time goes. */
  #hash(from: number, to: number): void {
    const view = this.#view;
    let a = this.#a ^ (to - from);
    let b = this.#b;
    let at = from;
    for (const last = to - 8; at <= last; at += 8) {
      let k = Math.imul(view.getInt32(at, true), factorA);
      k = Math.imul((k << 15) | (k >>> 17), factorB);
      let l = Math.imul(view.getInt32(at + 4, true), factorB);
      l = Math.imul((l << 16) | (l >>> 16), factorA);
      a ^= k;
      a = (Math.imul((((a << 19) | (a >>> 13)) + b) | 0, 5) + addendA) | 0;
      b ^= l;
      b = (Math.imul((((b << 17) | (b >>> 15)) + a) | 0, 5) + addendB) | 0;
    }
    this.#a = a;
    this.#b = b;
    if (at < to) this.#rest(at, to);
  }

  /** The last one to seven bytes. */
  #rest(from: number, to: number): void {
    let at = from;
    let word = 0;
    let rest = 0;
    if (to - at >= 4) {
      word = this.#view.getInt32(at, true);
      at += 4;
    }
    for (; at < to; at++) rest = (rest << 8) | (this.#bytes[at] as number);
    this.#step(word, rest);
  }

  /** Eight bytes more. What is done to the words does not wait for the lanes. */
  #step(first: number, second: number): void {
    const k = Math.imul(rotated(Math.imul(first, factorA), 15), factorB);
    const l = Math.imul(rotated(Math.imul(second, factorB), 16), factorA);
    const a = (Math.imul((rotated(this.#a ^ k, 19) + this.#b) | 0, 5) + addendA) | 0;
    this.#a = a;
    this.#b = (Math.imul((rotated(this.#b ^ l, 17) + a) | 0, 5) + addendB) | 0;
  }
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** Every bit of the word reaches every bit of the result (the finish of MurmurHash3). */
function mixed(word: number): number {
  const half = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return (most ^ (most >>> 16)) | 0;
}
