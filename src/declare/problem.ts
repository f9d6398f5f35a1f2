/** What is wrong with one field of a declaration, or with the whole annotation. */
export interface Problem {
  /** Name of the declaration, where it can be read. */
  readonly route?: string;
  /** Path of the field, such as `hosts[1]` or `timeout.connect`; the annotation's key where none can be read. */
  readonly field: string;
  /** What was written; `undefined` where something is missing. */
  readonly value: unknown;
  /** One sentence that names field and value and says what is allowed; shorter than 1,024 bytes, as an Event's note must be. */
  readonly message: string;
}

const shownLength = 100;
const reasonLength = 500;
const shownValues = 1000;

/** Builds a problem; `reason` says what is wrong and what is allowed. */
export function makeProblem(
  route: string | undefined,
  field: string,
  value: unknown,
  reason: string,
): Problem {
  const shownField = cut(escapeInvisible(field), shownLength);
  const is = value === undefined ? "is missing" : `is ${showValue(value)}`;
  const message = `${shownField} ${is}: ${cut(escapeInvisible(reason), reasonLength)}`;
  return { ...(route === undefined ? {} : { route }), field: shownField, value, message };
}

/** A value as people can read it in one line: JSON where it can be, invisible characters escaped, long ones cut. */
export function showValue(value: unknown): string {
  return cut(escapeInvisible(jsonText(value)), shownLength);
}

function jsonText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, shownLength + 1));
  if (typeof value === "number") return String(value);
  let values = 0;
  // A program can hold a small object that unfolds to gigabytes.
  const bounded = (_key: string, inner: unknown): unknown => {
    if (++values > shownValues) throw new RangeError("too large to show");
    return inner;
  };
  try {
    return JSON.stringify(value, bounded) ?? `a ${typeof value}`;
  } catch {
    return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

/** Control, format, separator and unpaired surrogate characters can hide or reorder what a terminal shows. */
function escapeInvisible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
