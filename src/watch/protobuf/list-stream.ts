import { GrowingBytes } from "../../json/growing-bytes.ts";
import { WireBytes } from "../../protobuf/wire-bytes.ts";
import { wireType } from "../../protobuf/field-cursor.ts";
import { WireError } from "../../protobuf/wire-error.ts";
import { kindOf, magic, refuseEncoding, unknownNumber } from "./envelope.ts";
import { HeadReader } from "./head-reader.ts";
import type { WireFrame } from "./length-splitter.ts";

/** Field numbers that all list kinds share. */
const listNumber = { metadata: 1, items: 2 };

export interface ListLimits {
  readonly maxItemBytes: number;
  /** Of everything but an item. */
  readonly maxPartBytes: number;
  /** Of the whole document. */
  readonly maxBytes: number;
}

/** What a field's content is for. */
type Content = "typeMeta" | "encoding" | "metadata" | "item" | "nothing";

/**
 * Cuts a list, fed as chunks of bytes, into its items while it comes: `k8s\\0`, a `runtime.Unknown`, in it the list, in
 * that the items. Holds one item at most, and nothing where an item came in one chunk.
 *
 * Items may come before the document turns out to be cut off: the caller must void them then.
 */
export class ListStream {
  readonly #kind: string;
  readonly #limits: ListLimits;
  readonly #head = new HeadReader();
  readonly #part: GrowingBytes;
  #bytes = 0;
  #magicBytes = 0;
  /** Bytes of the list that are still to come; undefined outside of it. */
  #listLeft: number | undefined;
  #sawList = false;
  #sawKind = "";
  /** Content that is being read. */
  #content: Content | undefined;
  #contentLeft = 0;
  #metadata = Buffer.alloc(0);

  /** @param kind of the list. */
  constructor(kind: string, limits: ListLimits) {
    this.#kind = kind;
    this.#limits = limits;
    this.#part = new GrowingBytes(Math.max(limits.maxItemBytes, limits.maxPartBytes));
  }

  /**
   * The items that this chunk completes, each good until the next one is asked for.
   *
   * @throws WireError
   */
  *push(chunk: Uint8Array): Generator<WireFrame, void, void> {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxBytes) {
      throw new WireError(`a list is longer than ${this.#limits.maxBytes} bytes`);
    }
    const bytes = new WireBytes(chunk);
    let at = this.#readMagic(chunk);
    while (at < chunk.length || (this.#content !== undefined && this.#contentLeft === 0)) {
      if (this.#content === undefined) at = this.#readHead(chunk, at);
      else if (this.#contentLeft > chunk.length - at) return this.#keep(chunk.subarray(at));
      else {
        const end = at + this.#contentLeft;
        const item = this.#complete(bytes, at, end);
        if (item !== undefined) {
          yield item;
          this.#part.clear();
        }
        at = end;
      }
    }
  }

  /**
   * `metadata` of the list.
   *
   * @throws WireError where the document is not complete.
   */
  end(): Buffer {
    if (
      !this.#sawList ||
      this.#listLeft !== undefined ||
      this.#content !== undefined ||
      this.#head.isInside
    ) {
      throw new WireError("a list is cut off");
    }
    return this.#metadata;
  }

  #readMagic(chunk: Uint8Array): number {
    let at = 0;
    while (this.#magicBytes < magic.length && at < chunk.length) {
      if (chunk[at++] !== magic[this.#magicBytes++]) {
        throw new WireError("a list does not begin as Kubernetes' protobuf does");
      }
    }
    return at;
  }

  #readHead(chunk: Uint8Array, from: number): number {
    const at = this.#head.read(chunk, from);
    this.#spend(at - from);
    if (this.#head.isInside) return at;
    const { number, type, value: length } = this.#head;
    if (type === wireType.varint) this.#enter("nothing", 0);
    else if (this.#listLeft === undefined) this.#enterUnknown(number, type, length);
    else this.#enterList(number, type, length);
    return at;
  }

  #enterUnknown(number: number, type: number, length: number): void {
    if (number === unknownNumber.raw && type === wireType.bytes) {
      if (this.#sawList) throw new WireError("a list comes twice");
      if (this.#sawKind !== this.#kind) throw new WireError(`a list is not a ${this.#kind}`);
      this.#sawList = true;
      this.#listLeft = length;
      this.#leaveList();
    } else if (number === unknownNumber.typeMeta && type === wireType.bytes) this.#enter("typeMeta", length);
    else if (number === unknownNumber.contentEncoding && type === wireType.bytes)
      this.#enter("encoding", length);
    else this.#enter("nothing", length);
  }

  #enterList(number: number, type: number, length: number): void {
    if (number === listNumber.items && type === wireType.bytes) this.#enter("item", length);
    else if (number === listNumber.metadata && type === wireType.bytes) this.#enter("metadata", length);
    else this.#enter("nothing", length);
  }

  #enter(content: Content, length: number): void {
    if (this.#listLeft !== undefined && length > this.#listLeft) {
      throw new WireError("a field reaches past its message");
    }
    const { maxItemBytes, maxPartBytes } = this.#limits;
    const limit = content === "item" ? maxItemBytes : maxPartBytes;
    if (length > limit) throw new WireError(`a list has a part that is longer than ${limit} bytes`);
    this.#content = content;
    this.#contentLeft = length;
  }

  #keep(piece: Uint8Array): void {
    this.#part.append(piece);
    this.#contentLeft -= piece.length;
    this.#spend(piece.length);
  }

  /** The content ends here. Gives it where it is an item. */
  #complete(bytes: WireBytes, from: number, to: number): WireFrame | undefined {
    const content = this.#content;
    this.#content = undefined;
    let whole: WireFrame = { bytes, from, to };
    if (this.#part.length > 0) {
      this.#part.append(bytes.buffer.subarray(from, to));
      const view = this.#part.view();
      whole = { bytes: new WireBytes(view), from: 0, to: view.length };
    }
    this.#spend(to - from);
    this.#leaveList();
    if (content === "item") return whole;
    const { buffer } = whole.bytes;
    if (content === "typeMeta") this.#sawKind = kindOf(buffer, whole.from, whole.to);
    else if (content === "encoding") refuseEncoding(whole.from, whole.to);
    else if (content === "metadata") this.#metadata = Buffer.from(buffer.subarray(whole.from, whole.to));
    this.#part.clear();
    return undefined;
  }

  /** So many bytes of the document have been read. */
  #spend(bytes: number): void {
    if (this.#listLeft === undefined) return;
    this.#listLeft -= bytes;
    const isCutOff = this.#listLeft === 0 && this.#head.isInside;
    if (this.#listLeft < 0 || isCutOff) throw new WireError("a field reaches past its message");
  }

  /** Between two fields. */
  #leaveList(): void {
    if (this.#listLeft === 0) this.#listLeft = undefined;
  }
}
