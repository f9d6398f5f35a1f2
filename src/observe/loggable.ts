import { TranslatorError } from "../errors.ts";

/** A log line is for people: what is longer or deeper is cut. */
const longestText = 2000;
const deepest = 5;
const mostItems = 50;

const secretKey =
  /authori[sz]ation|api-?key|admin-?key|passw|secret$|(^|[-_a-z])token$|cookie|credential|private-?key|client-?key|key-?data/i;

/** `value` as it may be logged: plain, bounded, without what looks like a secret. Never throws. */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return loggableText(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return "[function]";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest) return "[deeper]";
  try {
    return loggableObject(value, depth);
  } catch {
    // A getter or a proxy that throws must not take the logger's caller down.
    return "[unreadable]";
  }
}

function loggableObject(value: object, depth: number): unknown {
  if (value instanceof Error) return loggableError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return loggable(value.toJSON(), depth + 1);
  if (Array.isArray(value) || value instanceof Set) return items([...value], depth);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.slice(0, mostItems).map(([name, held]): [string, unknown] => {
      const key = String(name);
      return [key, secretKey.test(key) ? "[secret]" : loggable(held, depth + 1)];
    }),
  );
}

function items(values: readonly unknown[], depth: number): unknown[] {
  const shown = values.slice(0, mostItems).map((value) => loggable(value, depth + 1));
  return values.length > mostItems ? [...shown, `and ${values.length - mostItems} more`] : shown;
}

/** A `TranslatorError` says where it comes from by its code; anything else is a fault of ours and needs its stack. */
function loggableError(error: Error, depth: number): Record<string, unknown> {
  const known = error instanceof TranslatorError;
  const code: unknown = "code" in error ? error.code : undefined;
  return {
    type: error.name,
    message: loggableText(error.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(known && error.status !== undefined ? { status: error.status } : {}),
    ...(known && error.problems.length > 0 ? { problems: items(error.problems, depth) } : {}),
    ...(known || error.stack === undefined ? {} : { stack: loggableText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: loggable(error.cause, depth + 1) }),
  };
}

/** Cuts first: what runs over text from outside must have a bound. */
function loggableText(text: string): string {
  const cut = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  return cut
    .replaceAll(/:\/\/[^\s/?#@]*@/g, "://[secret]@")
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 [secret]")
    .replaceAll(/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*/g, "[secret]")
    .replaceAll(/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, "[secret]");
}
