import { wireMessage, type WireField, type WireMessage } from "./wire-messages.ts";
import { WireWriter } from "./wire-writer.ts";

type Values = Readonly<Record<string, unknown>>;

const none: Values = {};

/**
 * Parts that many objects or versions share: three quarters of a Pod need not be written again when its readiness flips.
 * Objects are immutable, so identity is enough.
 */
const shared = new WeakMap<object, Uint8Array>();
const sharedTypes = new Set(["PodSpec", "ManagedFieldsEntry"]);

/**
 * Writes a message's fields from its JSON.
 *
 * Errors: where the JSON has a field that the schema lacks, or a value of another type.
 */
export function writeMessage(writer: WireWriter, type: string, value: unknown): void {
  const message = wireMessage(type);
  if (message === undefined) throw new Error(`no message ${type} is known`);
  const values = valuesOf(value, type);
  for (const name in values) {
    if (!message.names.has(name)) throw new Error(`${type} has no field ${name}`);
  }
  writeFields(writer, message, values);
}

function writeFields(writer: WireWriter, message: WireMessage, values: Values): void {
  for (const field of message.fields) {
    const { number, name, type, shape } = field;
    const value = values[name] ?? undefined;
    if (shape === "inline") {
      const inner = wireMessage(type);
      if (inner !== undefined) writer.nested(number, () => writeFields(writer, inner, values));
    } else if (shape === "list") {
      for (const one of (value as readonly unknown[] | undefined) ?? []) writeOne(writer, field, one);
    } else if (shape === "map") {
      writeMap(writer, field, valuesOf(value, name));
    } else if (value !== undefined || !field.isOptional) {
      writeOne(writer, field, value);
    }
  }
}

/** Servers sort the keys. */
function writeMap(writer: WireWriter, { number, type }: WireField, entries: Values): void {
  for (const key of Object.keys(entries).sort()) {
    writer.nested(number, () => {
      writer.text(1, key);
      writeOne(writer, { number: 2, name: key, type, shape: "one", isOptional: false }, entries[key]);
    });
  }
}

function writeOne(writer: WireWriter, field: WireField, value: unknown): void {
  const { number, type } = field;
  switch (type) {
    case "string":
      return writer.text(number, typed(field, value ?? "", "string"));
    case "bool":
      return writer.number(number, typed(field, value ?? false, "boolean") ? 1 : 0);
    case "int32":
    case "int64":
      return writer.number(number, typed(field, value ?? 0, "number"));
    case "Time":
      return writer.nested(number, () => writeTime(writer, typed(field, value ?? "", "string")));
    case "Quantity":
      return writer.nested(number, () => writer.text(1, typed(field, value ?? "0", "string")));
    case "FieldsV1":
      return writer.nested(number, () => writer.text(1, JSON.stringify(value)));
    case "IntOrString":
      return writer.nested(number, () => writeIntOrString(writer, value ?? 0));
    default:
      if (sharedTypes.has(type)) return writer.bytes(number, sharedBytes(type, value));
      return writer.nested(number, () => writeMessage(writer, type, value));
  }
}

function sharedBytes(type: string, value: unknown): Uint8Array {
  if (typeof value !== "object" || value === null) return bytesOf(type, value);
  const known = shared.get(value);
  if (known !== undefined) return known;
  const bytes = bytesOf(type, value);
  shared.set(value, bytes);
  return bytes;
}

function bytesOf(type: string, value: unknown): Uint8Array {
  const writer = new WireWriter();
  writeMessage(writer, type, value);
  return writer.taken();
}

/** The zero time has no fields. */
function writeTime(writer: WireWriter, text: string): void {
  if (text === "") return;
  writer.number(1, Math.floor(Date.parse(text) / 1000));
  writer.number(2, 0);
}

function writeIntOrString(writer: WireWriter, value: unknown): void {
  const isText = typeof value === "string";
  writer.number(1, isText ? 1 : 0);
  writer.number(2, isText ? 0 : Number(value));
  writer.text(3, isText ? value : "");
}

function valuesOf(value: unknown, what: string): Values {
  if (value === undefined || value === null) return none;
  if (typeof value === "object" && !Array.isArray(value)) return value as Values;
  throw new Error(`${what} is not an object`);
}

interface Types {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

function typed<T extends keyof Types>({ name }: WireField, value: unknown, type: T): Types[T] {
  if (typeof value === type) return value as Types[T];
  throw new Error(`${name} is not a ${type}`);
}
