import { TranslatorError } from "../../errors.ts";
import { WireError } from "../../protobuf/wire-error.ts";
import type { Decoder, Frame, FrameReader, Item, PageEnd, PageReader } from "../decoder.ts";
import type { KindRow } from "../kinds.ts";
import { maxContinueLength, maxEnvelopeBytes, maxFrameBytes, maxPageBytes } from "../limits.ts";
import { isResourceVersion } from "../resource-version.ts";
import { LengthSplitter } from "./length-splitter.ts";
import { ListStream } from "./list-stream.ts";
import { readHead } from "./object-head.ts";
import { asProtocolError } from "./protocol-error.ts";
import { ProtobufItem, type ItemSource } from "./protobuf-item.ts";
import { readFrame } from "./read-frame.ts";
import { readListMeta } from "./read-list-meta.ts";

/** Objects as API servers hold them: no text to parse, and what is not consumed is passed over by its length. */
export const protobufDecoder: Decoder = {
  mediaType: "application/vnd.kubernetes.protobuf",
  watchParameter: ";stream=watch",
  reads: ({ reader }) => reader !== undefined,
  page: (row, list) => new ProtobufPageReader(sourceOf(row, list)),
  frames: (row, list) => new ProtobufFrameReader(sourceOf(row, list)),
};

function sourceOf(row: KindRow, list: number): ItemSource {
  const { listKind, reader } = row;
  if (reader === undefined) throw new Error(`${row.kind} are not read in protobuf`);
  return { row, kind: listKind.slice(0, -"List".length), reader, list };
}

class ProtobufPageReader implements PageReader {
  readonly #source: ItemSource;
  readonly #stream: ListStream;

  constructor(source: ItemSource) {
    this.#source = source;
    this.#stream = new ListStream(source.row.listKind, {
      maxItemBytes: maxFrameBytes,
      maxPartBytes: maxEnvelopeBytes,
      maxBytes: maxPageBytes,
    });
  }

  *push(chunk: Uint8Array): Generator<Item, void, void> {
    try {
      for (const { bytes, from, to } of this.#stream.push(chunk)) {
        yield new ProtobufItem(this.#source, readHead(bytes.buffer, from, to), bytes, from, to);
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
  readonly #source: ItemSource;
  readonly #splitter = new LengthSplitter(maxFrameBytes);

  constructor(source: ItemSource) {
    this.#source = source;
  }

  *push(chunk: Uint8Array): Generator<Frame, void, void> {
    try {
      for (const frame of this.#splitter.push(chunk)) yield readFrame(frame, this.#source);
    } catch (error) {
      throw asProtocolError("a watch event", error);
    }
  }

  end(): void {
    if (!this.#splitter.isInside) return;
    throw new TranslatorError("KUBE_CONNECTION", "the watch broke off inside an event");
  }
}
