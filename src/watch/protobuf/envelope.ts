import { FieldCursor, wireType } from "../../protobuf/field-cursor.ts";
import { isAt, KnownTexts } from "../../protobuf/known-texts.ts";
import { WireError } from "../../protobuf/wire-error.ts";

/** What every protobuf body of Kubernetes begins with: `k8s` and a zero, then a `runtime.Unknown`. */
export const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0);

/** Field numbers of `runtime.Unknown` and of its `TypeMeta`. */
export const unknownNumber = { typeMeta: 1, raw: 2, contentEncoding: 3 };
const typeMetaNumber = { kind: 2 };

/** What is expected; anything else is as good, and refused later. */
const kinds = new KnownTexts(["Pod", "Service", "EndpointSlice", "Node", "Status"]);

/** A `runtime.Unknown`: the kind's name, and where the object stands. */
export interface Envelope {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** @throws WireError */
export function readEnvelope(bytes: Buffer, from: number, to: number): Envelope {
  if (to - from < magic.length || !isAt(bytes, from, magic)) {
    throw new WireError("an object does not begin as Kubernetes' protobuf does");
  }
  const cursor = new FieldCursor(bytes, from + magic.length, to);
  const envelope = { kind: "", from: 0, to: 0 };
  while (cursor.next()) {
    const { start, end } = cursor;
    if (cursor.is(unknownNumber.typeMeta, wireType.bytes)) envelope.kind = kindOf(bytes, start, end);
    else if (cursor.is(unknownNumber.raw, wireType.bytes)) [envelope.from, envelope.to] = [start, end];
    else if (cursor.is(unknownNumber.contentEncoding, wireType.bytes)) refuseEncoding(start, end);
  }
  return envelope;
}

/** `kind` of a `TypeMeta`. */
export function kindOf(bytes: Buffer, from: number, to: number): string {
  const cursor = new FieldCursor(bytes, from, to);
  let kind = "";
  while (cursor.next()) {
    if (cursor.is(typeMetaNumber.kind, wireType.bytes)) kind = kinds.at(bytes, cursor.start, cursor.end);
  }
  return kind;
}

/** Kubernetes has never used it. */
export function refuseEncoding(from: number, to: number): void {
  if (from !== to) throw new WireError("an object is encoded once more");
}
