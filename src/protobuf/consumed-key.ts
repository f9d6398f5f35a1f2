import type { MapKey } from "./consumed-message.ts";
import { FieldCursor, wireType } from "./field-cursor.ts";
import { isAt } from "./known-texts.ts";

const keyNumber = 1;
const keyTag = (keyNumber << 3) | wireType.bytes;

/**
 * The key of a map's entry, where it is one of these.
 *
 * @throws WireError
 */
export function consumedKey(
  bytes: Uint8Array,
  keys: readonly MapKey[],
  from: number,
  to: number,
): MapKey | undefined {
  const length = bytes[from + 1] as number;
  if (bytes[from] === keyTag && length < 128 && from + 2 + length <= to) {
    return keyAt(bytes, keys, from + 2, length);
  }
  const cursor = new FieldCursor(bytes, from, to);
  let key: MapKey | undefined;
  while (cursor.next()) {
    if (cursor.is(keyNumber, wireType.bytes))
      key = keyAt(bytes, keys, cursor.start, cursor.end - cursor.start);
  }
  return key;
}

function keyAt(bytes: Uint8Array, keys: readonly MapKey[], at: number, length: number): MapKey | undefined {
  for (const key of keys) {
    if (key.bytes.length === length && isAt(bytes, at, key.bytes)) return key;
  }
  return undefined;
}
