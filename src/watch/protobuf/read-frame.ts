import { FieldCursor, wireType } from "../../protobuf/field-cursor.ts";
import { KnownTexts } from "../../protobuf/known-texts.ts";
import { WireError } from "../../protobuf/wire-error.ts";
import { statusError } from "../api-status.ts";
import type { Frame } from "../decoder.ts";
import { ProtobufItem, type ItemSource } from "./protobuf-item.ts";
import { readEnvelope } from "./envelope.ts";
import type { WireFrame } from "./length-splitter.ts";
import { keyOf, readHead, resourceVersionOf } from "./object-head.ts";
import { readStatus, statusKind } from "./read-status.ts";

/** Field numbers of `meta.v1.WatchEvent` and of its `RawExtension`. */
const eventNumber = { type: 1, object: 2 };
const extensionNumber = { raw: 1 };

/**
 * One event of a watch.
 *
 * @throws WireError
 */
export function readFrame(frame: WireFrame, source: ItemSource): Frame {
  const { row } = source;
  const { buffer } = frame.bytes;
  const event = readEvent(buffer, frame.from, frame.to);
  const { kind, from, to } = readEnvelope(buffer, event.from, event.to);
  if (event.type === "ERROR") {
    return {
      type: "error",
      error: statusError(kind === statusKind ? readStatus(buffer, from, to) : undefined),
    };
  }
  if (kind !== source.kind) throw new WireError("a watch event holds an object of another kind");
  const head = readHead(buffer, from, to, event.type === "BOOKMARK");
  const resourceVersion = resourceVersionOf(head);
  switch (event.type) {
    case "BOOKMARK":
      return { type: "bookmark", resourceVersion, initialEnd: head.isInitialEnd };
    case "DELETED":
      return { type: "delete", key: keyOf(head, row), resourceVersion };
    case "ADDED":
    case "MODIFIED": {
      const item = new ProtobufItem(source, head, frame.bytes, from, to);
      return { type: "apply", item, resourceVersion };
    }
    default:
      throw new WireError("a watch event is of an unknown type");
  }
}

interface WatchEventBytes {
  type: string;
  from: number;
  to: number;
}

const types = new KnownTexts(["MODIFIED", "ADDED", "DELETED", "BOOKMARK", "ERROR"]);

function readEvent(bytes: Buffer, from: number, to: number): Readonly<WatchEventBytes> {
  const cursor = new FieldCursor(bytes, from, to);
  const event = { type: "", from: 0, to: 0 };
  while (cursor.next()) {
    const { start, end: stop } = cursor;
    if (cursor.is(eventNumber.type, wireType.bytes)) event.type = types.at(bytes, start, stop);
    else if (cursor.is(eventNumber.object, wireType.bytes)) findRaw(event, bytes, start, stop);
  }
  return event;
}

function findRaw(event: WatchEventBytes, bytes: Buffer, from: number, to: number): void {
  const cursor = new FieldCursor(bytes, from, to);
  while (cursor.next()) {
    if (cursor.is(extensionNumber.raw, wireType.bytes)) [event.from, event.to] = [cursor.start, cursor.end];
  }
}
