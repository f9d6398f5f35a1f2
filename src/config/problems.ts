/** Collects what is wrong, one line each, and remembers which keys to leave out of further judgement. */
export class Problems {
  readonly #lines: string[] = [];
  readonly #bad = new Set<string>();
  #lacks = false;

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** `sentence` names what was got and what is allowed; `label` stands in for the path where a flag or variable is meant. */
  add(path: string, sentence: string, label = path): void {
    this.#bad.add(path);
    this.#lines.push(`${label}: ${sentence}`);
  }

  /** Of a key that must be given, and is not. */
  missing(path: string, allowed: string): void {
    this.#lacks = true;
    this.add(path, `is missing; allowed: ${allowed}`);
  }

  /** Whether `missing` was said of a key. */
  get lacks(): boolean {
    return this.#lacks;
  }

  /** Whether nothing is known against these keys, or what they are in: judging them together says something new. */
  clean(...paths: readonly string[]): boolean {
    return paths.every((path) => ancestry(path).every((at) => !this.#bad.has(at)));
  }
}

/** `a[0].b` → `a`, `a[0]`, `a[0].b`. */
function ancestry(path: string): readonly string[] {
  const ends = [...path.matchAll(/[.[]/g)].map((match) => path.slice(0, match.index));
  return [...ends, path];
}

const shownLength = 80;

/** A value for a problem line: short, on one line, with no character that could act on a terminal. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  if (typeof value !== "string") return String(value);
  // The user part of a URL, wherever somebody put the URL.
  const scheme = value.indexOf("://");
  if (scheme >= 0 && value.includes("@", scheme)) return hidden;
  const text = value.length > shownLength ? `${value.slice(0, shownLength)}…` : value;
  return JSON.stringify(text).replaceAll(/(?! )[\p{C}\p{Z}]/gu, escaped);
}

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** What stands for a value that may be a credential. */
export const hidden = "(secret)";

/** Whether a key that we do not know may hold a credential, by its name. */
export const soundsSecret = (key: string): boolean => /key|token|secret|passw|credential|auth/i.test(key);
