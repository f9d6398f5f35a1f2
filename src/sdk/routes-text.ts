import { copyJson } from "../declare/copy-json.ts";
import type { SourceKind } from "../declare/declaration.ts";
import { validateRoutes } from "../declare/parse.ts";
import { maxBytes, maxNesting, tooLong, unreadable, utf8Bytes } from "../declare/read-annotation.ts";
import { InvalidRoutesError } from "./invalid-routes-error.ts";

/** How the text is laid out: in one line, or an entry a line for people who read it in a manifest. */
export type Layout = "one line" | "lines";

/**
 * The annotation's text for declarations (an array, or one object) that a source of `kind` may write. They stand in
 * it as they were given, with nothing filled in: a default that changes later changes for them too.
 *
 * @throws InvalidRoutesError
 */
export function routesText(declarations: unknown, kind: SourceKind, layout: Layout): string {
  // What was judged must be what is written: a getter may answer differently the second time.
  const copy = copyJson(declarations, maxNesting, maxBytes);
  const value = copy.ok ? copy.value : declarations;
  const validation = validateRoutes(value, kind);
  if (!validation.ok) throw new InvalidRoutesError(validation.problems);
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const text = layout === "one line" ? escaped(JSON.stringify(entries)) : inLines(entries);
  if (utf8Bytes(text) > maxBytes) throw new InvalidRoutesError([unreadable(text, tooLong).problem]);
  return text;
}

function inLines(entries: readonly unknown[]): string {
  const lines = entries.map((entry) => escaped(spaced(entry)));
  return lines.length < 2 ? `[${lines.join("")}]` : `[\n  ${lines.join(",\n  ")}\n]`;
}

/** One line with a space after each colon and comma. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${spaced(inner)}`);
  return `{${fields.join(", ")}}`;
}

/** What YAML does not print as it is, or what would be invisible, as JSON's escapes. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
