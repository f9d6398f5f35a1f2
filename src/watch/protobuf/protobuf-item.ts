import type { Fingerprint } from "../../protobuf/fingerprint.ts";
import type { ObjectReader } from "../../protobuf/object-reader.ts";
import type { WireBytes } from "../../protobuf/wire-bytes.ts";
import type { Item } from "../decoder.ts";
import type { ObjectKey, Wire } from "../events.ts";
import type { KindRow } from "../kinds.ts";
import { keyOf, type ObjectHead } from "./object-head.ts";

/** What is the same for all objects of a page or a watch. */
export interface ItemSource {
  readonly row: KindRow;
  /** As an object says it: `Pod`. */
  readonly kind: string;
  readonly reader: ObjectReader;
  /** Number of the list that they belong to. */
  readonly list: number;
}

/** An object in the bytes that it came in. */
export class ProtobufItem implements Item, Wire {
  readonly key: ObjectKey;
  readonly stamp: Fingerprint | undefined;
  readonly #reader: ObjectReader;
  readonly #bytes: WireBytes;
  readonly #from: number;
  readonly #to: number;

  /** @throws WireError where the object does not say which it is. */
  constructor(
    { row, reader, list }: ItemSource,
    head: ObjectHead,
    bytes: WireBytes,
    from: number,
    to: number,
  ) {
    const { uidFrom, uidTo, generation } = head;
    const isStamped = row.isStamped === true && generation > 0 && uidTo > uidFrom;
    this.key = keyOf(head, row);
    this.stamp = isStamped ? reader.stamp(bytes, uidFrom, uidTo, [generation, list]) : undefined;
    this.#reader = reader;
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
  }

  get wire(): Wire {
    return this;
  }

  fingerprint(): Fingerprint {
    return this.#reader.fingerprint(this.#bytes, this.#from, this.#to);
  }

  value(): unknown {
    return this.#reader.value(this.#bytes, this.#from, this.#to);
  }
}
