import { consumedKey } from "./consumed-key.ts";
import type { ConsumedField, ConsumedMessage } from "./consumed-message.ts";
import { FieldCursor, wireType } from "./field-cursor.ts";
import { WireError } from "./wire-error.ts";

type Values = Record<string, unknown>;

/**
 * The consumed part of an object as `JSON.parse` would give it, so that one projection reads both. What stands on
 * protobuf's wire at its zero value and is left out of JSON (`""`, 0, false) is given as it stands: Kubernetes means the
 * same by both. What is not set is there and undefined.
 *
 * @throws WireError
 */
export function readValue(bytes: Buffer, message: ConsumedMessage, from: number, to: number): Values {
  const values: Values = { ...message.blank };
  readInto(values, bytes, message, from, to);
  return values;
}

function readInto(values: Values, bytes: Buffer, message: ConsumedMessage, from: number, to: number): void {
  const cursor = new FieldCursor(bytes, from, to);
  while (cursor.next()) {
    const field = message.fields.get(cursor.number);
    if (field === undefined) continue;
    cursor.is(field.number, field.wireType);
    const { name, isList } = field;
    const before = values[name];
    if (!isList) values[name] = valueOf(bytes, field, cursor, before as Values | undefined);
    else if (before === undefined) values[name] = [valueOf(bytes, field, cursor, undefined)];
    else (before as unknown[]).push(valueOf(bytes, field, cursor, undefined));
  }
}

/** @param before a message that comes in parts is one message (the protobuf encoding's rule); of anything else the last counts. */
function valueOf(
  bytes: Buffer,
  field: ConsumedField,
  cursor: FieldCursor,
  before: Values | undefined,
): unknown {
  const { start, end, value } = cursor;
  switch (field.type) {
    case "text":
      return bytes.toString("utf8", start, end);
    case "number":
      return value;
    case "flag":
      return value !== 0;
    case "time":
      return readTime(bytes, start, end);
    case "textMap": {
      const entries = before ?? {};
      const key = consumedKey(bytes, field.keys, start, end);
      if (key !== undefined) entries[key.name] = entryValue(bytes, start, end);
      return entries;
    }
    case "message": {
      const { message } = field;
      if (message === undefined) return undefined;
      if (before === undefined) return readValue(bytes, message, start, end);
      readInto(before, bytes, message, start, end);
      return before;
    }
  }
}

const entryNumber = { value: 2 };

function entryValue(bytes: Buffer, from: number, to: number): string {
  const cursor = new FieldCursor(bytes, from, to);
  let value = "";
  while (cursor.next()) {
    if (cursor.is(entryNumber.value, wireType.bytes))
      value = bytes.toString("utf8", cursor.start, cursor.end);
  }
  return value;
}

const timeNumber = { seconds: 1 };
/** What a `Date` can hold. */
const maxSeconds = 8.64e12;

/** Null for the zero time, which has no fields. JSON holds whole seconds only. */
function readTime(bytes: Buffer, from: number, to: number): string | null {
  if (from === to) return null;
  const cursor = new FieldCursor(bytes, from, to);
  let seconds = 0;
  while (cursor.next()) if (cursor.is(timeNumber.seconds, wireType.varint)) seconds = cursor.value;
  if (Math.abs(seconds) > maxSeconds) throw new WireError("a time is out of range");
  return new Date(seconds * 1000).toISOString();
}
