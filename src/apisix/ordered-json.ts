import { compareBytewise } from "../declare/byte-order.ts";
import { TranslatorError } from "../errors.ts";
import { isJsonArray } from "./json-object.ts";
import type { Json, JsonObject } from "./types.ts";

/** Lua's cjson, behind the Admin API, neither reads nor writes deeper. Keeps recursion off the stack's end. */
export const maxDepth = 1000;

/**
 * JSON text without whitespace, the keys of every object in bytewise order.
 *
 * `JSON.stringify` writes a value several times faster than code that joins strings, so the value is put in order
 * first, and not even that where it is in order already, as everything that the translator builds is.
 *
 * @throws TranslatorError `ADMIN_PROTOCOL` where the value is nested deeper than `maxDepth`.
 */
export function orderedText(value: Json): string {
  const inOrder = ordered(value);
  return inOrder === undefined ? joined(value) : JSON.stringify(inOrder);
}

/**
 * The value with all keys in order, itself where they are; undefined where `JSON.stringify` would not write it so, for no
 * JavaScript object has that order, or a number needs an exponent.
 */
export function ordered(value: Json, depth = 1): Json | undefined {
  if (typeof value === "number") return needsExponent(value) ? undefined : value;
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) throw new TranslatorError("ADMIN_PROTOCOL", `JSON is nested deeper than ${maxDepth}`);
  return isJsonArray(value) ? orderedArray(value, depth) : orderedObject(value, depth);
}

function orderedArray(array: readonly Json[], depth: number): Json | undefined {
  let copy: Json[] | undefined;
  for (let i = 0; i < array.length; i++) {
    const item = array[i] as Json;
    const inOrder = ordered(item, depth + 1);
    if (inOrder === undefined) return undefined;
    if (inOrder === item && copy === undefined) continue;
    copy ??= array.slice(0, i);
    copy.push(inOrder);
  }
  return copy ?? array;
}

function orderedObject(object: JsonObject, depth: number): Json | undefined {
  const keys = Object.keys(object);
  const same = isSorted(keys);
  if (!same) keys.sort(compareBytewise);
  let copy: Record<string, Json> | undefined = same ? undefined : {};
  if (!same && keys.some(hasOwnPlace)) return undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const item = object[key] as Json;
    const inOrder = ordered(item, depth + 1);
    if (inOrder === undefined) return undefined;
    if (inOrder !== item && copy === undefined) {
      if (keys.some(hasOwnPlace)) return undefined;
      copy = {};
      for (const before of keys.slice(0, i)) copy[before] = object[before] as Json;
    }
    if (copy !== undefined) copy[key] = inOrder;
  }
  return copy ?? object;
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) {
    if (compareBytewise(keys[i - 1] as string, keys[i] as string) > 0) return false;
  }
  return true;
}

/** Keys that look like integers come first in a JavaScript object, and assigning to `__proto__` adds no key. */
function hasOwnPlace(key: string): boolean {
  const first = key.charCodeAt(0);
  return (first >= 0x30 && first <= 0x39) || key === "__proto__";
}

/** Lua's cjson reads whole numbers without an exponent as 64 bit integers, and takes the last of them for larger ones. */
function needsExponent(value: number): boolean {
  return value >= 2 ** 63 || value <= -(2 ** 63);
}

/** The slow way, for what `ordered` gives up. Depth was checked. */
function joined(value: Json): string {
  if (typeof value === "number" && needsExponent(value)) return value.toExponential();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(joined).join(",")}]`;
  const keys = Object.keys(value).sort(compareBytewise);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${joined(value[key] as Json)}`).join(",")}}`;
}
