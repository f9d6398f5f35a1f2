import { JsonListError } from "./json-list-error.ts";

/** Bytes of JSON's punctuation. */
export const quote = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBrace = 0x7b;
export const openBracket = 0x5b;
export const closeBrace = 0x7d;
export const closeBracket = 0x5d;

/** Whitespace as JSON knows it. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * `JSON.parse` over strict UTF-8; a byte order mark is refused, as `JSON.parse` does.
 *
 * @throws JsonListError `syntax`. Without a cause: V8 quotes the text that it could not parse.
 */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    throw new JsonListError("syntax", error instanceof SyntaxError ? "not JSON" : "not UTF-8");
  }
}
