import { consumedMessage, type ConsumedMessage, type ConsumedPath } from "./consumed-message.ts";
import { Fingerprinter, type Fingerprint, type Seed } from "./fingerprint.ts";
import { objectShapes } from "./object-shapes.ts";
import { readValue } from "./read-value.ts";
import type { WireBytes } from "./wire-bytes.ts";

/** Reads what is consumed of one kind's objects, and nothing else. */
export class ObjectReader {
  readonly #message: ConsumedMessage;
  readonly #fingerprinter: Fingerprinter;

  constructor(message: ConsumedMessage, seed: Seed) {
    this.#message = message;
    this.#fingerprinter = new Fingerprinter(message, seed);
  }

  /** @throws WireError */
  fingerprint(bytes: WireBytes, from: number, to: number): Fingerprint {
    return this.#fingerprinter.of(bytes, from, to);
  }

  /** Of the text from `from` to `to`, and two numbers. */
  stamp(bytes: WireBytes, from: number, to: number, numbers: readonly [number, number]): Fingerprint {
    return this.#fingerprinter.ofBytes(bytes, from, to, numbers);
  }

  /**
   * The consumed values as JSON would have them.
   *
   * @throws WireError
   */
  value({ buffer }: WireBytes, from: number, to: number): unknown {
    return readValue(buffer, this.#message, from, to);
  }
}

export type ObjectReaders = { readonly [Kind in keyof typeof objectShapes]: ObjectReader };

/** @param consumed of each kind, what counts as consumed. @param random from [0, 1). */
export function objectReaders(
  consumed: { readonly [Kind in keyof typeof objectShapes]: readonly ConsumedPath[] },
  random: () => number,
  Reader: typeof ObjectReader = ObjectReader,
): ObjectReaders {
  const word = (): number => Math.floor(random() * 2 ** 32) | 0;
  const seed: Seed = [word(), word()];
  const reader = (kind: keyof typeof objectShapes): ObjectReader =>
    new Reader(consumedMessage(objectShapes[kind], consumed[kind]), seed);
  return {
    pods: reader("pods"),
    services: reader("services"),
    endpointslices: reader("endpointslices"),
    nodes: reader("nodes"),
  };
}
