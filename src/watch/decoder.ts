import type { TranslatorError } from "../errors.ts";
import type { ObjectKey, Wire } from "./events.ts";
import { jsonDecoder } from "./json-decoder.ts";
import type { KindRow } from "./kinds.ts";
import { protobufDecoder } from "./protobuf/protobuf-decoder.ts";

/** One object of a list or a watch, understood as far as its key. */
export interface Item {
  readonly key: ObjectKey;
  readonly wire: Wire;
}

/** One event of a watch. `error` is an in-stream Status: the watch is over. */
export type Frame =
  | { readonly type: "apply"; readonly item: Item; readonly resourceVersion: string }
  | { readonly type: "delete"; readonly key: ObjectKey; readonly resourceVersion: string }
  | { readonly type: "bookmark"; readonly resourceVersion: string; readonly initialEnd: boolean }
  | { readonly type: "error"; readonly error: TranslatorError };

/** What a page says after its last item. `continue` is `""` on the last page. */
export interface PageEnd {
  readonly resourceVersion: string;
  readonly continue: string;
}

/** Reads one page from chunks of any size. Items may come before the page turns out to be wrong. */
export interface PageReader {
  /** @throws TranslatorError `KUBE_PROTOCOL` */
  push(bytes: Uint8Array): Iterable<Item>;
  /** @throws TranslatorError `KUBE_PROTOCOL` where the page is not complete or not a list of this kind. */
  end(): PageEnd;
}

/** Reads the frames of one watch from chunks of any size, each frame handed over before the next is looked at. */
export interface FrameReader {
  /** @throws TranslatorError `KUBE_PROTOCOL` */
  push(bytes: Uint8Array): Iterable<Frame>;
  /** @throws TranslatorError `KUBE_CONNECTION` where the stream ended inside a frame. */
  end(): void;
}

/** One format of the wire; every format gives the same items. */
export interface Decoder {
  readonly mediaType: string;
  /** What a request for a watch adds to the media type. */
  readonly watchParameter: string;
  /** Whether objects of this kind can be read in this format. */
  reads(row: KindRow): boolean;
  /** @param list number of the list that the items belong to, or that the watch goes on from. */
  page(row: KindRow, list: number): PageReader;
  frames(row: KindRow, list: number): FrameReader;
}

/** In the order in which they are asked for: protobuf costs a tenth, custom resources and some aggregated APIs have none. */
const decoders: readonly Decoder[] = [protobufDecoder, jsonDecoder];

/** The value of `Accept`. */
export function acceptOf(row: KindRow, verb: "list" | "watch"): string {
  return decoders
    .filter((decoder) => decoder.reads(row))
    .map(({ mediaType, watchParameter }) => (verb === "watch" ? mediaType + watchParameter : mediaType))
    .join(", ");
}

/** The decoder of what the server *did* answer, whatever was asked for; undefined for a format that none reads. */
export function decoderFor(contentType: string, row: KindRow): Decoder | undefined {
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase();
  return decoders.find((decoder) => decoder.mediaType === mediaType && decoder.reads(row));
}
