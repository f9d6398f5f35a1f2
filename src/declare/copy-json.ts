import { isObject } from "./read-value.ts";

export type JsonCopy =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: "nesting" | "size" | "unreadable" };

/**
 * Copies a value of a program as `JSON.stringify` and `JSON.parse` would: fields that are undefined are dropped, an
 * own `__proto__` stays a field. What JSON cannot hold (functions, dates, NaN, …) is kept as it is for the reader of
 * the field to refuse, where `JSON.stringify` would turn it into something else. Cycles end at `maxNesting`, and
 * `maxValues` bounds what many references to one object can unfold to.
 */
export function copyJson(value: unknown, maxNesting: number, maxValues: number): JsonCopy {
  let values = 0;
  let reason: "nesting" | "size" | "unreadable" = "unreadable";
  const refuse = (why: "nesting" | "size"): never => {
    reason = why;
    throw new RangeError(why);
  };
  const copy = (from: unknown, nesting: number): unknown => {
    if (++values > maxValues) refuse("size");
    const isArray = Array.isArray(from);
    if (!isArray && !isObject(from)) return from;
    if (nesting >= maxNesting) refuse("nesting");
    if (isArray) return Array.from(from, (inner) => copy(inner, nesting + 1));
    const kept = Object.entries(from).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(kept.map(([key, inner]) => [key, copy(inner, nesting + 1)]));
  };
  try {
    return { ok: true, value: copy(value, 0) };
  } catch {
    // A getter or a proxy that throws says no more than that the value cannot be read.
    return { ok: false, reason };
  }
}
