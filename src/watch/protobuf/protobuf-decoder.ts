import { TranslatorError } from "../../errors.ts";
import type { ObjectReader } from "../../protobuf/object-reader.ts";
import { WireError } from "../../protobuf/wire-error.ts";
import type { Decoder, Frame, FrameReader, Item, PageEnd, PageReader } from "../decoder.ts";
import type { KindRow } from "../kinds.ts";
import { maxContinueLength, maxEnvelopeBytes, maxFrameBytes, maxPageBytes } from "../limits.ts";
import { isResourceVersion } from "../resource-version.ts";
import { LengthSplitter } from "./length-splitter.ts";
import { ListStream } from "./list-stream.ts";
import { keyOf, readHead } from "./object-head.ts";
import { ProtobufItem } from "./protobuf-item.ts";
import { readFrame } from "./read-frame.ts";
import { readListMeta } from "./read-list-meta.ts";

/** Objects as API servers hold them: no text to parse, and what is not consumed is passed over by its length. */
export const protobufDecoder: Decoder = {
  mediaType: "application/vnd.kubernetes.protobuf",
  watchParameter: ";stream=watch",
  reads: ({ reader }) => reader !== undefined,
  page: (row) => new ProtobufPageReader(row, readerOf(row)),
  frames: (row) => new ProtobufFrameReader(row, readerOf(row)),
};

function readerOf({ kind, reader }: KindRow): ObjectReader {
  if (reader === undefined) throw new Error(`${kind} are not read in protobuf`);
  return reader;
}

class ProtobufPageReader implements PageReader {
  readonly #row: KindRow;
  readonly #reader: ObjectReader;
  readonly #stream: ListStream;

  constructor(row: KindRow, reader: ObjectReader) {
    this.#row = row;
    this.#reader = reader;
    this.#stream = new ListStream(row.listKind, {
      maxItemBytes: maxFrameBytes,
      maxPartBytes: maxEnvelopeBytes,
      maxBytes: maxPageBytes,
    });
  }

  *push(chunk: Uint8Array): Generator<Item, void, void> {
    try {
      for (const { bytes, from, to } of this.#stream.push(chunk)) {
        const key = keyOf(readHead(bytes.buffer, from, to), this.#row);
        yield new ProtobufItem(key, this.#reader, bytes, from, to);
      }
    } catch (error) {
      throw asProtocolError("a list", error);
    }
  }

  end(): PageEnd {
    try {
      const { resourceVersion, continue: next } = readListMeta(this.#stream.end());
      if (!isResourceVersion(resourceVersion)) throw new WireError("it has no resourceVersion");
      if (next.length > maxContinueLength) throw new WireError("it has a continue token that is none");
      return { resourceVersion, continue: next };
    } catch (error) {
      throw asProtocolError("a list", error);
    }
  }
}

class ProtobufFrameReader implements FrameReader {
  readonly #row: KindRow;
  readonly #reader: ObjectReader;
  readonly #splitter = new LengthSplitter(maxFrameBytes);

  constructor(row: KindRow, reader: ObjectReader) {
    this.#row = row;
    this.#reader = reader;
  }

  *push(chunk: Uint8Array): Generator<Frame, void, void> {
    try {
      for (const frame of this.#splitter.push(chunk)) yield readFrame(frame, this.#row, this.#reader);
    } catch (error) {
      throw asProtocolError("a watch event", error);
    }
  }

  end(): void {
    if (!this.#splitter.isInside) return;
    throw new TranslatorError("KUBE_CONNECTION", "the watch broke off inside an event");
  }
}

function asProtocolError(what: string, error: unknown): unknown {
  if (!(error instanceof WireError)) return error;
  return new TranslatorError("KUBE_PROTOCOL", `${what} cannot be read: ${error.message}`);
}
