import { EnvelopeScan } from "./envelope-scan.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  isSpace,
  openBrace,
  openBracket,
  parseJsonBytes,
  quote,
} from "./json-bytes.ts";
import { JsonListError } from "./json-list-error.ts";

export interface ListSplitterOptions {
  /** Member of the root object that holds the array. A nested member of that name does not count. */
  readonly field: string;
  readonly maxItemBytes: number;
  /** Of the whole document. */
  readonly maxBytes: number;
  /** Of everything but the array's content. */
  readonly maxEnvelopeBytes: number;
  /** Take `{}` for an empty array: Lua's cjson cannot tell them apart, APISIX sends it past a list's last page. */
  readonly emptyObjectIsList?: boolean;
}

/**
 * Splits `{…, "items": […], …}`, fed as chunks of bytes, into the parsed items of that array. Holds one item and the
 * rest of the document (the envelope), never the array.
 *
 * Guarantee: a document is refused exactly when `JSON.parse` would refuse it, when its shape is not this one, when its
 * array comes twice, or when a limit is passed. What stands wrong *after* an item is found later: items that were
 * returned may belong to a document that `push` or `end` then refuses, and the caller must void them.
 *
 * How: the scan only finds strings and depth. Each item is handed to `JSON.parse` by itself, and so is the envelope
 * with `[]` in the array's place; a document is valid exactly when all these parts are.
 */
export class ListSplitter {
  readonly #options: ListSplitterOptions;
  readonly #envelope: EnvelopeScan;
  /** The part of an item that came with earlier chunks. */
  readonly #pending: GrowingBytes;
  #bytes = 0;
  #fault: unknown;
  #inList = false;
  #inString = false;
  #escaped = false;
  #depth = 0;
  #items = 0;

  constructor(options: ListSplitterOptions) {
    this.#options = options;
    this.#envelope = new EnvelopeScan(options.field, options.maxEnvelopeBytes);
    this.#pending = new GrowingBytes(options.maxItemBytes);
  }

  /**
   * The items that this chunk completed. The chunk is not kept.
   *
   * @throws JsonListError now and on every later call.
   */
  push(chunk: Uint8Array): unknown[] {
    return this.#guarded(() => this.#push(chunk));
  }

  /**
   * The root object without the array.
   *
   * @throws JsonListError where the document is not complete, or is refused as a whole.
   */
  end(): Record<string, unknown> {
    return this.#guarded(() => this.#end());
  }

  #guarded<Result>(step: () => Result): Result {
    if (this.#fault !== undefined) throw this.#fault;
    try {
      return step();
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  #push(chunk: Uint8Array): unknown[] {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.maxBytes) {
      throw new JsonListError("limit", `the document is longer than ${this.#options.maxBytes} bytes`);
    }
    const items: unknown[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#inList) {
        at = this.#scanList(chunk, at, items);
      } else {
        ({ at, entered: this.#inList } = this.#envelope.scan(chunk, at));
      }
    }
    return items;
  }

  #end(): Record<string, unknown> {
    const { field, emptyObjectIsList = false } = this.#options;
    const root = this.#envelope.end();
    const { [field]: list, ...envelope } = root;
    if (!Object.hasOwn(root, field)) throw new JsonListError("shape", `there is no field "${field}"`);
    if (Array.isArray(list) || (emptyObjectIsList && isEmptyObject(list))) return envelope;
    throw new JsonListError("shape", `the field "${field}" is not an array`);
  }

  /** Reads to the chunk's end or past the array's end. The hot loop: state in locals, strings skipped in a tight loop. */
  #scanList(chunk: Uint8Array, from: number, items: unknown[]): number {
    let start = from;
    let depth = this.#depth;
    let inString = this.#inString;
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    for (; at < chunk.length; at++) {
      let byte = chunk[at] as number;
      if (inString) {
        while (byte !== quote && byte !== backslash && ++at < chunk.length) byte = chunk[at] as number;
        if (at >= chunk.length) break;
        if (byte === quote) inString = false;
        else if (++at === chunk.length) this.#escaped = true;
      } else if (byte === quote) {
        inString = true;
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        if (depth === 0) return this.#leaveList(chunk, start, at, items);
        depth--;
      } else if (byte === comma && depth === 0) {
        items.push(this.#item(chunk, start, at));
        start = at + 1;
      }
    }
    this.#inString = inString;
    this.#depth = depth;
    this.#keep(chunk.subarray(start));
    return chunk.length;
  }

  #leaveList(chunk: Uint8Array, start: number, at: number, items: unknown[]): number {
    if (chunk[at] !== closeBracket) throw new JsonListError("syntax", "the list is not closed by a bracket");
    const empty = this.#items === 0 && this.#pending.view().every(isSpace);
    if (!empty || !chunk.subarray(start, at).every(isSpace)) items.push(this.#item(chunk, start, at));
    this.#pending.clear();
    this.#inList = false;
    this.#envelope.closeList();
    return at + 1;
  }

  #item(chunk: Uint8Array, start: number, end: number): unknown {
    this.#items++;
    if (this.#pending.length === 0 && end - start <= this.#options.maxItemBytes) {
      return parseJsonBytes(chunk.subarray(start, end));
    }
    this.#keep(chunk.subarray(start, end));
    const item = parseJsonBytes(this.#pending.view());
    this.#pending.clear();
    return item;
  }

  #keep(piece: Uint8Array): void {
    if (this.#pending.append(piece)) return;
    throw new JsonListError("limit", `an item is longer than ${this.#options.maxItemBytes} bytes`);
  }
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
