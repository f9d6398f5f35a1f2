import { addressText } from "./addresses.ts";

/** What stands in the places of a template, each in as many bytes as its placeholder has. */
export interface Values {
  /** 0 to 9,999,999; in name, uid, owner, host. */
  readonly number: number;
  /** 0 to 99. */
  readonly namespace: number;
  /** resourceVersion, ten digits. */
  readonly version: number;
  /** Of the first address; the others follow it. */
  readonly address: number;
  /** From 100,000,000: nine digits in JSON, four bytes in protobuf. */
  readonly generation: number;
  /** Index of the one endpoint that is not ready; -1: all are. */
  readonly missing: number;
  /** Four digits, in the routes annotation. */
  readonly priority: number;
  /** 10 to 59: seconds of a time that means nothing. */
  readonly second: number;
}

/** Texts and numbers that an object is built with where a template is to have a place. */
export const placeholders = {
  number: "9135792",
  namespace: "team-83",
  version: "8246813579",
  generation: 123_456_789,
  priority: 7531,
  time: "2031-03-03T03:03:43Z",
  address: (index: number): string => `10.177.177.${100 + index}`,
} as const;

interface Places {
  readonly number: readonly number[];
  readonly namespace: readonly number[];
  readonly version: readonly number[];
  readonly priority: readonly number[];
  readonly second: readonly number[];
  readonly generation: readonly number[];
  readonly addresses: readonly (readonly number[])[];
  /** Of the endpoints' `ready`. */
  readonly ready: readonly number[];
}

/** An encoded object in which places are known: another object, or another state of it, costs a copy and a few bytes. */
export class ByteTemplate {
  readonly #bytes: Buffer;
  readonly #isJson: boolean;
  readonly #places: Places;

  /** @param ready where the endpoints' `ready` stands: a byte in protobuf, `false` in JSON. */
  constructor(bytes: Uint8Array, isJson: boolean, addresses: number, ready: readonly number[]) {
    const { number, namespace, version, priority, time, generation, address } = placeholders;
    this.#bytes = Buffer.from(bytes);
    this.#isJson = isJson;
    const find = (wanted: string | Buffer, skip = 0): number[] =>
      placesOf(this.#bytes, wanted).map((at) => at + skip);
    this.#places = {
      ...{ number: find(number), namespace: find(namespace, 5), version: find(version) },
      ...{ priority: find(String(priority)), second: find(time, 17), ready },
      generation: find(isJson ? String(generation) : varint4(generation)),
      addresses: Array.from({ length: addresses }, (_, index) => find(address(index))),
    };
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Writes the object into `target`, which has room for `length` bytes from there on. */
  fill(target: Buffer, from: number, values: Values): void {
    const { number, namespace, version, priority, second, generation, addresses, ready } = this.#places;
    target.set(this.#bytes, from);
    for (const at of number) writeDigits(target, from + at, 7, values.number);
    for (const at of namespace) writeDigits(target, from + at, 2, values.namespace);
    for (const at of version) writeDigits(target, from + at, 10, values.version);
    for (const at of priority) writeDigits(target, from + at, 4, values.priority);
    for (const at of second) writeDigits(target, from + at, 2, values.second);
    for (const at of generation) {
      if (this.#isJson) writeDigits(target, from + at, 9, values.generation);
      else target.set(varint4(values.generation), from + at);
    }
    for (const [index, places] of addresses.entries()) {
      const text = addressText(values.address + index);
      for (const at of places) target.write(text, from + at, "latin1");
    }
    for (const [index, at] of ready.entries()) {
      const isReady = index !== values.missing;
      if (this.#isJson) target.write(isReady ? "true " : "false", from + at, "latin1");
      else target[from + at] = isReady ? 1 : 0;
    }
  }
}

export function placesOf(bytes: Buffer, wanted: string | Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length))
    found.push(at);
  return found;
}

function varint4(value: number): Buffer {
  return Buffer.from([
    (value & 0x7f) | 0x80,
    ((value >>> 7) & 0x7f) | 0x80,
    ((value >>> 14) & 0x7f) | 0x80,
    value >>> 21,
  ]);
}

function writeDigits(target: Buffer, from: number, count: number, value: number): void {
  let rest = value;
  for (let at = from + count - 1; at >= from; at--) {
    target[at] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
