import type { Declaration, SourceKind } from "../../src/declare/declaration.ts";

/** What becomes of one entry: what the declaration must hold, or the field that is wrong and a part of the reason. */
type EntryOutcome =
  | { readonly ok: true; readonly holds: Partial<Declaration> }
  | { readonly ok: false; readonly field: string; readonly says: string };

/** One annotation and what it must come to: the same in translator, SDK and lint. */
export interface GrammarRow {
  readonly title: string;
  readonly kind: SourceKind;
  readonly annotation: string;
  /** True: the point is in the text, and lost once it is parsed. */
  readonly textOnly: boolean;
  readonly outcome: { readonly unreadable: string } | { readonly entries: readonly EntryOutcome[] };
}

/** A valid entry with some fields replaced; a field that is undefined is left out. */
export function entry(fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name: "web", port: 8080, host: "shop.example.com", uri: "/*", ...fields });
}

export function valid(
  title: string,
  fields: Readonly<Record<string, unknown>>,
  holds: Partial<Declaration>,
  kind: SourceKind = "pod",
): GrammarRow {
  return row(title, `[${entry(fields)}]`, { entries: [{ ok: true, holds }] }, kind);
}

export function invalid(
  title: string,
  fields: Readonly<Record<string, unknown>> | string,
  field: string,
  says: string,
  kind: SourceKind = "pod",
): GrammarRow {
  const text = typeof fields === "string" ? fields : `[${entry(fields)}]`;
  return row(title, text, { entries: [{ ok: false, field, says }] }, kind);
}

export function unreadable(title: string, annotation: string, says: string, textOnly = false): GrammarRow {
  return { ...row(title, annotation, { unreadable: says }), textOnly };
}

export function row(
  title: string,
  annotation: string,
  outcome: GrammarRow["outcome"],
  kind: SourceKind = "pod",
): GrammarRow {
  return { title, kind, annotation, textOnly: false, outcome };
}
