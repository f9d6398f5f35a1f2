import { FieldCursor, wireType } from "../../protobuf/field-cursor.ts";
import { WireError } from "../../protobuf/wire-error.ts";
import { statusError } from "../api-status.ts";
import type { Frame } from "../decoder.ts";
import { kindOfItems, ProtobufItem, type ItemSource } from "./protobuf-item.ts";
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
  if (kind !== kindOfItems(row)) throw new WireError("a watch event holds an object of another kind");
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

function readEvent(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly type: string; readonly from: number; readonly to: number } {
  const cursor = new FieldCursor(bytes, start, end);
  let type = "";
  let object = { from: 0, to: 0 };
  while (cursor.next()) {
    if (cursor.is(eventNumber.type, wireType.bytes))
      type = bytes.toString("latin1", cursor.start, cursor.end);
    else if (cursor.is(eventNumber.object, wireType.bytes)) object = rawOf(bytes, cursor.start, cursor.end);
  }
  return { type, ...object };
}

function rawOf(bytes: Buffer, start: number, end: number): { readonly from: number; readonly to: number } {
  const cursor = new FieldCursor(bytes, start, end);
  let raw = { from: 0, to: 0 };
  while (cursor.next()) {
    if (cursor.is(extensionNumber.raw, wireType.bytes)) raw = { from: cursor.start, to: cursor.end };
  }
  return raw;
}
