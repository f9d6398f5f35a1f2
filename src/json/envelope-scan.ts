import { GrowingBytes } from "./growing-bytes.ts";
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  isSpace,
  openBrace,
  openBracket,
  parseJsonBytes,
  quote,
} from "./json-bytes.ts";
import { JsonListError } from "./json-list-error.ts";

/**
 * Reads everything of a JSON object but the content of one array, and says where that array begins. What it collects
 * is the document with `[]` in the array's place, so that `JSON.parse` judges it in the end. Byte by byte: an envelope
 * is short.
 */
export class EnvelopeScan {
  readonly #field: string;
  readonly #limit: number;
  readonly #bytes: GrowingBytes;
  #inString = false;
  #escaped = false;
  #depth = 0;
  #closed = false;
  #inKey = false;
  #expectKey = false;
  #keyStart = 0;
  #key: string | undefined;
  #listSeen = false;

  constructor(field: string, limit: number) {
    this.#field = field;
    this.#limit = limit;
    this.#bytes = new GrowingBytes(limit);
  }

  /**
   * Index of the first byte of the array's content; `chunk.length` and `false` where the array does not begin here.
   *
   * @throws JsonListError
   */
  scan(chunk: Uint8Array, from: number): { readonly at: number; readonly entered: boolean } {
    let at = from;
    while (at < chunk.length) {
      if (this.#byte(chunk[at++] as number)) return { at, entered: true };
    }
    return { at, entered: false };
  }

  /** The array's content is over. */
  closeList(): void {
    this.#append(closeBracket);
  }

  /**
   * The whole root object.
   *
   * @throws JsonListError
   */
  end(): Record<string, unknown> {
    if (!this.#closed) throw new JsonListError("syntax", "the document is cut off");
    return parseJsonBytes(this.#bytes.view()) as Record<string, unknown>;
  }

  /** True where the byte opens the array. */
  #byte(byte: number): boolean {
    this.#append(byte);
    if (this.#inString) this.#stringByte(byte);
    else if (this.#depth === 0) this.#outsideByte(byte);
    else if (byte === quote) {
      this.#inString = true;
      this.#inKey = this.#depth === 1 && this.#expectKey;
      this.#keyStart = this.#bytes.length - 1;
    } else if (byte === openBracket && this.#depth === 1 && this.#key === this.#field) {
      if (this.#listSeen) throw new JsonListError("shape", `the field "${this.#field}" comes twice`);
      this.#listSeen = true;
      return true;
    } else if (byte === openBrace || byte === openBracket) {
      this.#depth++;
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#closed = --this.#depth === 0;
    } else if (this.#depth === 1 && (byte === comma || byte === colon)) {
      this.#expectKey = byte === comma;
    }
    return false;
  }

  #stringByte(byte: number): void {
    if (this.#escaped) {
      this.#escaped = false;
    } else if (byte === backslash) {
      this.#escaped = true;
    } else if (byte === quote) {
      this.#inString = false;
      if (this.#inKey) this.#key = parseJsonBytes(this.#bytes.view(this.#keyStart)) as string;
    }
  }

  /** Before and after the root object. */
  #outsideByte(byte: number): void {
    if (isSpace(byte)) return;
    if (this.#closed) throw new JsonListError("syntax", "something follows the document");
    if (byte !== openBrace) throw new JsonListError("shape", "the document is not a JSON object");
    this.#depth = 1;
    this.#expectKey = true;
  }

  #append(byte: number): void {
    if (this.#bytes.appendByte(byte)) return;
    throw new JsonListError("limit", `more than ${this.#limit} bytes beside the list`);
  }
}
