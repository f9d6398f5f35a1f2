import { routesAnnotation } from "./names.ts";
import { makeProblem, showValue } from "./problem.ts";
import type { Problem } from "./problem.ts";
import { scanJson } from "./scan-json.ts";

export const maxBytes = 64 * 1024;
export const maxEntries = 100;
export const maxNesting = 32;

export type RawEntries =
  | { readonly ok: true; readonly entries: readonly unknown[] }
  | { readonly ok: false; readonly problem: Problem };

/** Reads the annotation's text up to its entries, which are not looked into. A single object is an array of one. */
export function readAnnotation(text: string): RawEntries {
  if (utf8Bytes(text) > maxBytes) return unreadable(text, tooLong);
  if (text.startsWith("\ufeff")) return unreadable(text, "it starts with a byte order mark");
  if (text.trim() === "") return unreadable(text, 'it is blank; "[]" declares nothing');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return unreadable(text, `it is not JSON (${error instanceof Error ? error.message : "unknown"})`);
  }
  const fault = scanJson(text, maxNesting);
  if (fault?.fault === "nesting") return unreadable(text, tooDeep);
  if (fault !== undefined) return unreadable(text, `the key ${showValue(fault.key)} stands twice`);
  return rawEntries(value, text);
}

export const tooDeep = `it is nested over ${maxNesting} levels deep`;
export const tooLong = `it has more than ${maxBytes} bytes (64 KiB)`;

/** Entries of a value that is JSON; `shown` is what a problem shows as the value. */
export function rawEntries(value: unknown, shown: unknown): RawEntries {
  if (typeof value !== "object" || value === null) return unreadable(shown, "it is no array or object");
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (entries.length > maxEntries) {
    return unreadable(shown, `it has ${entries.length} entries, and at most ${maxEntries} are allowed`);
  }
  return { ok: true, entries };
}

/** A refusal of the whole annotation. A long text is cut, so that a problem stays small. */
export function unreadable(value: unknown, reason: string): RawEntries & { ok: false } {
  const kept = typeof value === "string" ? value.slice(0, 200).toWellFormed() : value;
  const full = `the annotation cannot be read, ${reason}; allowed is a JSON array of objects`;
  return { ok: false, problem: makeProblem(undefined, routesAnnotation, kept, full) };
}

export function utf8Bytes(text: string): number {
  // Each UTF-16 unit is at least one byte: a huge text is not encoded just to be measured.
  return text.length > maxBytes ? text.length : new TextEncoder().encode(text).length;
}
