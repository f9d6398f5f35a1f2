import { TranslatorError } from "../errors.ts";
import { parseJsonBytes } from "../json/json-bytes.ts";
import { JsonListError } from "../json/json-list-error.ts";
import { ListSplitter } from "../json/list-splitter.ts";
import { statusError } from "./api-status.ts";
import type { Decoder, Frame, FrameReader, Item, PageEnd, PageReader } from "./decoder.ts";
import type { ObjectKey, Wire } from "./events.ts";
import type { KindRow } from "./kinds.ts";
import {
  initialEventsEnd,
  isName,
  maxContinueLength,
  maxEnvelopeBytes,
  maxFrameBytes,
  maxPageBytes,
} from "./limits.ts";
import { LineSplitter } from "./line-splitter.ts";
import { isResourceVersion } from "./resource-version.ts";

export const jsonDecoder: Decoder = {
  mediaType: "application/json",
  watchParameter: "",
  reads: () => true,
  page: (row) => new JsonPageReader(row),
  frames: (row) => new JsonFrameReader(row),
};

class JsonPageReader implements PageReader {
  readonly #row: KindRow;
  readonly #splitter = new ListSplitter({
    field: "items",
    maxItemBytes: maxFrameBytes,
    maxBytes: maxPageBytes,
    maxEnvelopeBytes,
  });

  constructor(row: KindRow) {
    this.#row = row;
  }

  *push(bytes: Uint8Array): Generator<Item, void, void> {
    for (const value of readable("a list", () => this.#splitter.push(bytes))) {
      const key = keyOf(value, this.#row);
      // Whose object it is cannot be told, so neither can which objects are gone: the whole list is void.
      if (key === undefined) throw protocol("a list holds an item without name or namespace");
      yield { key, wire: jsonWire(value) };
    }
  }

  end(): PageEnd {
    const { kind, metadata } = readable("a list", () => this.#splitter.end());
    if (kind !== this.#row.listKind) throw protocol(`a list is not a ${this.#row.listKind}`);
    const { resourceVersion, continue: next = "" } = isRecord(metadata) ? metadata : {};
    if (!isResourceVersion(resourceVersion)) throw protocol("a list has no resourceVersion");
    if (typeof next !== "string" || next.length > maxContinueLength) {
      throw protocol("a list has a continue token that is none");
    }
    return { resourceVersion, continue: next };
  }
}

class JsonFrameReader implements FrameReader {
  readonly #row: KindRow;
  readonly #lines = new LineSplitter(maxFrameBytes);

  constructor(row: KindRow) {
    this.#row = row;
  }

  *push(bytes: Uint8Array): Generator<Frame, void, void> {
    for (const line of this.#lines.push(bytes)) {
      if (line === "too long") throw protocol(`a watch event is longer than ${maxFrameBytes} bytes`);
      if (line.length > 0)
        yield frame(
          readable("a watch event", () => parseJsonBytes(line)),
          this.#row,
        );
    }
  }

  end(): void {
    if (this.#lines.pending === 0) return;
    throw new TranslatorError("KUBE_CONNECTION", "the watch broke off inside an event");
  }
}

function frame(value: unknown, row: KindRow): Frame {
  const { type, object } = isRecord(value) ? value : {};
  if (type === "ERROR") return { type: "error", error: statusError(object) };
  const metadata = isRecord(object) && isRecord(object["metadata"]) ? object["metadata"] : {};
  const { resourceVersion, annotations } = metadata;
  if (!isResourceVersion(resourceVersion)) throw protocol("a watch event has no resourceVersion");
  if (type === "BOOKMARK") {
    const initialEnd = isRecord(annotations) && annotations[initialEventsEnd] === "true";
    return { type: "bookmark", resourceVersion, initialEnd };
  }
  const key = keyOf(object, row);
  if (key === undefined) throw protocol("a watch event holds an object without name or namespace");
  if (type === "DELETED") return { type: "delete", key, resourceVersion };
  if (type !== "ADDED" && type !== "MODIFIED") throw protocol("a watch event is of an unknown type");
  return { type: "apply", item: { key, wire: jsonWire(object) }, resourceVersion };
}

function jsonWire(value: unknown): Wire {
  return { stamp: undefined, fingerprint: () => undefined, value: () => value };
}

function keyOf(value: unknown, row: KindRow): ObjectKey | undefined {
  const metadata = isRecord(value) ? value["metadata"] : undefined;
  if (!isRecord(metadata)) return undefined;
  const { name, namespace } = metadata;
  if (!isName(name)) return undefined;
  if (!row.namespaced) return { namespace: "", name };
  return isName(namespace) ? { namespace, name } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonListError) throw protocol(`${what} cannot be read: ${error.message}`);
    throw error;
  }
}

function protocol(message: string): TranslatorError {
  return new TranslatorError("KUBE_PROTOCOL", message);
}
