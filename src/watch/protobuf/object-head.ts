import { FieldCursor, wireType } from "../../protobuf/field-cursor.ts";
import { WireError } from "../../protobuf/wire-error.ts";
import type { ObjectKey } from "../events.ts";
import type { KindRow } from "../kinds.ts";
import { initialEventsEnd, isName } from "../limits.ts";
import { isResourceVersion } from "../resource-version.ts";

const objectNumber = { metadata: 1 };
const metadataNumber = { name: 1, namespace: 3, uid: 5, resourceVersion: 6, generation: 7, annotations: 12 };
const entryNumber = { key: 1, value: 2 };

/** What a watch needs to know of an object. */
export interface ObjectHead {
  readonly name: string;
  readonly namespace: string;
  readonly resourceVersion: string;
  /** Where the uid stands. */
  readonly uidFrom: number;
  readonly uidTo: number;
  /** 0: the kind has none. */
  readonly generation: number;
  /** Annotated as the end of a WatchList's initial events; looked for only in bookmarks. */
  readonly isInitialEnd: boolean;
}

/** @throws WireError */
export function readHead(bytes: Buffer, from: number, to: number, isBookmark = false): ObjectHead {
  const head = {
    ...{ name: "", namespace: "", resourceVersion: "" },
    ...{ uidFrom: 0, uidTo: 0, generation: 0, isInitialEnd: false },
  };
  const cursor = new FieldCursor(bytes, from, to);
  while (cursor.next()) {
    if (!cursor.is(objectNumber.metadata, wireType.bytes)) continue;
    readMetadata(head, bytes, new FieldCursor(bytes, cursor.start, cursor.end), isBookmark);
    // What follows is for those who read the object.
    break;
  }
  return head;
}

/** Fields come in the order of their numbers: what follows the generation is of no use here, but to bookmarks. */
function readMetadata(
  head: { -readonly [Name in keyof ObjectHead]: ObjectHead[Name] },
  bytes: Buffer,
  cursor: FieldCursor,
  isBookmark: boolean,
): void {
  while (cursor.next()) {
    const { number, start, end } = cursor;
    if (number === metadataNumber.name) head.name = textAt(bytes, cursor);
    else if (number === metadataNumber.namespace) head.namespace = textAt(bytes, cursor);
    else if (number === metadataNumber.resourceVersion) head.resourceVersion = textAt(bytes, cursor);
    else if (cursor.is(metadataNumber.uid, wireType.bytes)) [head.uidFrom, head.uidTo] = [start, end];
    else if (cursor.is(metadataNumber.generation, wireType.varint)) head.generation = cursor.value;
    else if (number > metadataNumber.generation && !isBookmark && head.resourceVersion !== "") return;
    else if (isBookmark && number === metadataNumber.annotations) {
      head.isInitialEnd ||= isInitialEnd(bytes, new FieldCursor(bytes, start, end));
    }
  }
}

function textAt(bytes: Buffer, cursor: FieldCursor): string {
  cursor.is(cursor.number, wireType.bytes);
  return bytes.toString("utf8", cursor.start, cursor.end);
}

function isInitialEnd(bytes: Buffer, cursor: FieldCursor): boolean {
  const entry = { key: "", value: "" };
  while (cursor.next()) {
    if (cursor.number === entryNumber.key) entry.key = textAt(bytes, cursor);
    else if (cursor.number === entryNumber.value) entry.value = textAt(bytes, cursor);
  }
  return entry.key === initialEventsEnd && entry.value === "true";
}

/** @throws WireError where the object does not say which it is. */
export function keyOf({ name, namespace }: ObjectHead, row: KindRow): ObjectKey {
  if (!isName(name) || (row.namespaced && !isName(namespace))) {
    throw new WireError("an object has no name or no namespace");
  }
  return { namespace: row.namespaced ? namespace : "", name };
}

/** @throws WireError where the object has none. */
export function resourceVersionOf({ resourceVersion }: ObjectHead): string {
  if (isResourceVersion(resourceVersion)) return resourceVersion;
  throw new WireError("a watch event has no resourceVersion");
}
