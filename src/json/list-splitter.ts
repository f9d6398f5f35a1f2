import { GrowingBytes } from "./growing-bytes.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

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
 * Why a document was refused. `syntax`: it is not JSON in UTF-8, or is cut off; `shape`: the root is not an object, or
 * the field is missing, comes twice or is not an array; `limit`: one of the limits was passed.
 */
export type JsonListFault = "syntax" | "shape" | "limit";

export class JsonListError extends SyntaxError {
  readonly fault: JsonListFault;

  constructor(fault: JsonListFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "JsonListError";
    this.fault = fault;
  }
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
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #envelope: GrowingBytes;
  /** The part of an item that came with earlier chunks. */
  readonly #pending: GrowingBytes;
  #bytes = 0;
  #fault: JsonListError | undefined;

  // Both parts of the scan: they never run inside a string or after a backslash at the same time.
  #inString = false;
  #escaped = false;

  #depth = 0;
  #closed = false;
  #inKey = false;
  #expectKey = false;
  #keyStart = 0;
  #key: string | undefined;

  #inList = false;
  #listSeen = false;
  #itemDepth = 0;
  #items = 0;

  constructor(options: ListSplitterOptions) {
    this.#options = options;
    this.#envelope = new GrowingBytes(options.maxEnvelopeBytes);
    this.#pending = new GrowingBytes(options.maxItemBytes);
  }

  /**
   * The items that this chunk completed. The chunk is not kept.
   *
   * @throws JsonListError now and on every later call.
   */
  push(chunk: Uint8Array): unknown[] {
    if (this.#fault !== undefined) throw this.#fault;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.maxBytes) {
      throw this.#fail("limit", `the document is longer than ${this.#options.maxBytes} bytes`);
    }
    const items: unknown[] = [];
    let at = 0;
    while (at < chunk.length) {
      at = this.#inList ? this.#scanList(chunk, at, items) : this.#scanEnvelope(chunk, at);
    }
    return items;
  }

  /**
   * The root object without the array.
   *
   * @throws JsonListError where the document is not complete, or is refused as a whole.
   */
  end(): Record<string, unknown> {
    if (this.#fault !== undefined) throw this.#fault;
    if (!this.#closed) throw this.#fail("syntax", "the document is cut off");
    const root = this.#parse(this.#envelope.view()) as Record<string, unknown>;
    const { [this.#options.field]: list, ...envelope } = root;
    if (!Object.hasOwn(root, this.#options.field)) {
      throw this.#fail("shape", `there is no field "${this.#options.field}"`);
    }
    if (!Array.isArray(list) && !(this.#options.emptyObjectIsList === true && isEmptyObject(list))) {
      throw this.#fail("shape", `the field "${this.#options.field}" is not an array`);
    }
    return envelope;
  }

  /** Reads until the array's content begins. Byte by byte: an envelope is short. */
  #scanEnvelope(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && !this.#inList) this.#envelopeByte(chunk[at++] as number);
    return at;
  }

  #envelopeByte(byte: number): void {
    if (!this.#envelope.appendByte(byte)) {
      throw this.#fail("limit", `more than ${this.#options.maxEnvelopeBytes} bytes beside the list`);
    }
    if (this.#inString) {
      this.#envelopeStringByte(byte);
      return;
    }
    if (this.#depth === 0) {
      this.#outsideByte(byte);
      return;
    }
    if (byte === quote) {
      this.#inString = true;
      this.#inKey = this.#depth === 1 && this.#expectKey;
      this.#keyStart = this.#envelope.length - 1;
    } else if (byte === openBracket && this.#depth === 1 && this.#isListKey()) {
      this.#enterList();
    } else if (byte === openBrace || byte === openBracket) {
      this.#depth++;
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#closed = --this.#depth === 0;
    } else if (this.#depth === 1 && byte === comma) {
      this.#expectKey = true;
    } else if (this.#depth === 1 && byte === colon) {
      this.#expectKey = false;
    }
  }

  #envelopeStringByte(byte: number): void {
    if (this.#escaped) {
      this.#escaped = false;
    } else if (byte === backslash) {
      this.#escaped = true;
    } else if (byte === quote) {
      this.#inString = false;
      if (!this.#inKey) return;
      this.#inKey = false;
      this.#key = this.#parse(this.#envelope.view(this.#keyStart)) as string;
    }
  }

  /** Before and after the root object. */
  #outsideByte(byte: number): void {
    if (isSpace(byte)) return;
    if (this.#closed) throw this.#fail("syntax", "something follows the document");
    if (byte !== openBrace) throw this.#fail("shape", "the document is not a JSON object");
    this.#depth = 1;
    this.#expectKey = true;
  }

  #isListKey(): boolean {
    return !this.#expectKey && this.#key === this.#options.field;
  }

  #enterList(): void {
    if (this.#listSeen) throw this.#fail("shape", `the field "${this.#options.field}" comes twice`);
    this.#listSeen = true;
    this.#inList = true;
    this.#itemDepth = 0;
  }

  /** Reads to the chunk's end or past the array's end. The hot loop: state in locals, strings skipped in a tight loop. */
  #scanList(chunk: Uint8Array, from: number, items: unknown[]): number {
    let start = from;
    let depth = this.#itemDepth;
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
        if (depth-- > 0) continue;
        this.#inString = false;
        return this.#leaveList(chunk, start, at, items);
      } else if (byte === comma && depth === 0) {
        items.push(this.#item(chunk, start, at));
        start = at + 1;
      }
    }
    this.#inString = inString;
    this.#itemDepth = depth;
    this.#keep(chunk.subarray(start));
    return chunk.length;
  }

  #leaveList(chunk: Uint8Array, start: number, at: number, items: unknown[]): number {
    if (chunk[at] !== closeBracket) throw this.#fail("syntax", "the list is not closed by a bracket");
    const empty = this.#items === 0 && this.#pending.view().every(isSpace);
    if (!empty || !chunk.subarray(start, at).every(isSpace)) items.push(this.#item(chunk, start, at));
    this.#pending.clear();
    this.#inList = false;
    // The closing bracket belongs to the envelope, where nothing but the array's content is left out.
    if (!this.#envelope.appendByte(closeBracket)) throw this.#fail("limit", "the envelope is too long");
    return at + 1;
  }

  #item(chunk: Uint8Array, start: number, end: number): unknown {
    this.#items++;
    if (this.#pending.length === 0 && end - start <= this.#options.maxItemBytes) {
      return this.#parse(chunk.subarray(start, end));
    }
    this.#keep(chunk.subarray(start, end));
    const item = this.#parse(this.#pending.view());
    this.#pending.clear();
    return item;
  }

  #keep(piece: Uint8Array): void {
    if (this.#pending.append(piece)) return;
    throw this.#fail("limit", `an item is longer than ${this.#options.maxItemBytes} bytes`);
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return JSON.parse(this.#decoder.decode(bytes));
    } catch (cause) {
      // Without the cause: V8 quotes the text that it could not parse, and nothing read may leak through an error.
      throw this.#fail("syntax", cause instanceof SyntaxError ? "not JSON" : "not UTF-8");
    }
  }

  #fail(fault: JsonListFault, message: string): JsonListError {
    this.#fault = new JsonListError(fault, message);
    return this.#fault;
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
