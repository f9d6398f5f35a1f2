import { nearest } from "./nearest.ts";

/** Takes down a problem of the entry that is being read. Returns undefined, so that a reader can end with it. */
export type Report = (field: string, value: unknown, reason: string) => undefined;

/** Reads one value. Undefined: it was reported. */
export type Read<T> = (value: unknown, field: string, report: Report) => T | undefined;

/** JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * A reader that says as JSON Schema what it accepts, for the schema that is published. What a schema cannot say it
 * leaves open: it never refuses what the reader accepts.
 */
export interface Reader<T> extends Read<T> {
  readonly schema: JsonSchema;
}

export function makeReader<T>(schema: JsonSchema, read: Read<T>): Reader<T> {
  const own: Read<T> = (value, field, report) => read(value, field, report);
  return Object.assign(own, { schema });
}

/** The schema of an object without other fields than these. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  const needs = required.length === 0 ? {} : { required };
  return { type: "object", properties, ...needs, additionalProperties: false };
}

/** Fields of one object by name. A Map, because a user may name a field `__proto__` or `constructor`. */
export type Fields = ReadonlyMap<string, unknown>;

export const readBoolean: Reader<boolean> = makeReader({ type: "boolean" }, (value, field, report) =>
  typeof value === "boolean" ? value : report(field, value, "allowed is true or false"),
);

/** An integer between two bounds, both included. */
export function readInteger(min: number, max: number): Reader<number> {
  const allowed = `allowed is an integer from ${min} to ${max}`;
  return makeReader({ type: "integer", minimum: min, maximum: max }, (value, field, report) => {
    const fits = typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
    // Adding 0 turns -0 into 0: two spellings of one number must not differ.
    return fits ? value + 0 : report(field, value, allowed);
  });
}

export function readOneOf<T extends string>(allowed: readonly T[]): Reader<T> {
  return makeReader(
    { enum: allowed },
    (value, field, report) =>
      allowed.find((one) => one === value) ?? report(field, value, `allowed is ${allowed.join(", ")}`),
  );
}

/** An object without other fields than `allowed`; those are reported, and the rest is read on. */
export function readFields(
  value: unknown,
  field: string,
  report: Report,
  allowed: readonly string[],
): Fields | undefined {
  if (!isObject(value)) return report(field, value, `allowed is an object with ${allowed.join(", ")}`);
  const fields = new Map(Object.entries(value));
  for (const [name, inner] of fields) {
    if (allowed.includes(name)) continue;
    const near = nearest(name, allowed);
    const known =
      near === undefined ? `allowed are ${allowed.join(", ")}` : `did you mean ${innerField(field, near)}?`;
    report(innerField(field, name), inner, `the field is not known; ${known}`);
  }
  return fields;
}

/** A field that may be left out. Undefined: left out, or reported. */
export function optional<T>(
  fields: Fields,
  name: string,
  read: Read<T>,
  report: Report,
  parent = "",
): T | undefined {
  return fields.has(name) ? read(fields.get(name), innerField(parent, name), report) : undefined;
}

export function required<T>(
  fields: Fields,
  name: string,
  read: Read<T>,
  report: Report,
  parent = "",
): T | undefined {
  return read(fields.get(name), innerField(parent, name), report);
}

/** Whether a value is what JSON calls an object: plain, so neither an array nor a date, a Map or the like. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also the Object.prototype of another realm, whose own prototype is null as well.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Path of a field inside another; an empty name is shown as `""`. */
export function innerField(parent: string, name: string): string {
  const shown = name === "" ? '""' : name;
  return parent === "" ? shown : `${parent}.${shown}`;
}
