import { copyJson } from "./copy-json.ts";
import type { Declaration, Share, SourceKind } from "./declaration.ts";
import { findDuplicatePairs } from "./duplicate-pairs.ts";
import { makeProblem } from "./problem.ts";
import type { Problem } from "./problem.ts";
import {
  maxBytes,
  maxNesting,
  rawEntries,
  readAnnotation,
  tooDeep,
  tooLong,
  unreadable,
  utf8Bytes,
} from "./read-annotation.ts";
import { readEntry } from "./read-entry.ts";
import type { ReadEntry } from "./read-entry.ts";

/**
 * One entry of the annotation. An entry that is not ok and has the name of another entry (`name` twice) says nothing
 * about the route of the first one.
 */
export type Entry =
  | { readonly ok: true; readonly declaration: Declaration }
  | {
      readonly ok: false;
      /** Position in the annotation, from 0. */
      readonly index: number;
      /** Undefined: cannot be read. */
      readonly name: string | undefined;
      /** Undefined: absent. */
      readonly share: Share | undefined | "unreadable";
      /** At least one. */
      readonly problems: readonly Problem[];
    };

/** Not readable: every route of the object is Invalid. Readable without entries: nothing is declared, on purpose. */
export type Annotation =
  | { readonly readable: true; readonly entries: readonly Entry[] }
  | { readonly readable: false; readonly problem: Problem };

export type Validation =
  | { readonly ok: true; readonly routes: readonly Declaration[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads the routes annotation of a Pod or Service, as PRODUCT.md's grammar table says; never throws. A pair that
 * stands twice is found here as far as the text tells; `findDuplicatePairs` judges the rest once defaults are filled.
 */
export function parseRoutes(text: string, kind: SourceKind): Annotation {
  const raw = readAnnotation(text);
  return raw.ok
    ? { readable: true, entries: readEntries(raw.entries, kind) }
    : { readable: false, problem: raw.problem };
}

/**
 * Validates declarations that a program holds (an array, or one object), as the translator will once they are written
 * as JSON; never throws. Without `kind`, what at least one kind of source may write is accepted.
 */
export function validateRoutes(value: unknown, kind?: SourceKind): Validation {
  // Each value takes at least one byte of the text.
  const copy = copyJson(value, maxNesting, maxBytes);
  if (!copy.ok) return { ok: false, problems: [unreadable(value, copyFault[copy.reason]).problem] };
  const raw = rawEntries(copy.value, value);
  if (!raw.ok) return { ok: false, problems: [raw.problem] };
  const entries = readEntries(raw.entries, kind);
  const problems = entries.flatMap((entry) => (entry.ok ? [] : entry.problems));
  if (problems.length > 0) return { ok: false, problems };
  if (utf8Bytes(JSON.stringify(copy.value)) > maxBytes) {
    return { ok: false, problems: [unreadable(value, tooLong).problem] };
  }
  return { ok: true, routes: entries.flatMap((entry) => (entry.ok ? [entry.declaration] : [])) };
}

const copyFault = { nesting: tooDeep, size: tooLong, unreadable: "reading it throws an error" } as const;

function readEntries(raw: readonly unknown[], kind: SourceKind | undefined): readonly Entry[] {
  const entries = raw.map((value, index) => readEntry(value, `[${index}]`, kind));
  const found = entries.map((entry) => [...entry.problems]);
  const names = new Map<string, number>();
  for (const [index, { name }] of entries.entries()) {
    if (name === undefined) continue;
    const first = names.get(name);
    if (first === undefined) names.set(name, index);
    else
      found[index]?.push(
        makeProblem(name, "name", name, `entry ${first + 1} has this name; each is allowed once`),
      );
  }
  for (const { index, problem } of findDuplicatePairs(entries)) found[index]?.push(problem);
  return entries.map((entry, index) => finish(entry, index, found[index] ?? []));
}

function finish(entry: ReadEntry, index: number, problems: readonly Problem[]): Entry {
  const { declaration, name, share } = entry;
  return declaration !== undefined && problems.length === 0
    ? { ok: true, declaration }
    : { ok: false, index, name, share, problems };
}
