import type { Fingerprint } from "../../protobuf/fingerprint.ts";
import type { ObjectReader } from "../../protobuf/object-reader.ts";
import type { WireBytes } from "../../protobuf/wire-bytes.ts";
import type { Item } from "../decoder.ts";
import type { ObjectKey, Wire } from "../events.ts";
import type { KindRow } from "../kinds.ts";

/** An object in the bytes that it came in. */
export class ProtobufItem implements Item, Wire {
  readonly key: ObjectKey;
  readonly fingerprint: Fingerprint;
  readonly #reader: ObjectReader;
  readonly #bytes: WireBytes;
  readonly #from: number;
  readonly #to: number;

  /** @throws WireError where what is consumed of the object cannot be walked through. */
  constructor(key: ObjectKey, reader: ObjectReader, bytes: WireBytes, from: number, to: number) {
    this.key = key;
    this.fingerprint = reader.fingerprint(bytes, from, to);
    this.#reader = reader;
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
  }

  get wire(): Wire {
    return this;
  }

  value(): unknown {
    return this.#reader.value(this.#bytes, this.#from, this.#to);
  }
}

/** `Pod` of `PodList`. */
export function kindOfItems({ listKind }: KindRow): string {
  return listKind.slice(0, -"List".length);
}
