import type { KubeObject } from "../kube-object.ts";
import type { KubeStatus } from "../kube-status.ts";
import type { ResourceRow } from "../resources.ts";
import type { FrameType, WireEncoder } from "../wire-encoder.ts";
import { writeMessage } from "./write-message.ts";
import { WireWriter } from "./wire-writer.ts";

const magic = Buffer.from("k8s\0");

/** Bytes gathered before a piece of a list is sent. */
const pieceBytes = 128 * 1024;

/** Kubernetes' protobuf, byte for byte as its servers write it. */
export const protobufEncoder: WireEncoder = {
  contentType: "application/vnd.kubernetes.protobuf",
  watchContentType: "application/vnd.kubernetes.protobuf;stream=watch",
  object: (row, object) => enveloped(row, row.kind, messageOf(row.kind, object)),
  list: (row, meta, items) => listPieces(row, messageOf("ListMeta", meta), items),
  status: (status) => statusBytes(status),
  frame: (type, row, object) => frameOf(type, enveloped(row, row.kind, messageOf(row.kind, object))),
  bookmark(row, revision, annotations) {
    const metadata = {
      resourceVersion: String(revision),
      ...(annotations === undefined ? {} : { annotations }),
    };
    return frameOf("BOOKMARK", enveloped(row, row.kind, messageOf(row.kind, { metadata })));
  },
  error: (status) => frameOf("ERROR", statusBytes(status)),
};

/** Kinds that are known in protobuf here; real servers have it for all but custom resources. */
export function isProtobufKind({ resource }: ResourceRow): boolean {
  return ["pods", "services", "endpointslices", "nodes"].includes(resource);
}

function messageOf(type: string, value: object): Uint8Array {
  const writer = new WireWriter();
  writeMessage(writer, type, value);
  return writer.taken();
}

function statusBytes(status: KubeStatus): Uint8Array {
  const { kind, apiVersion: _version, ...values } = status;
  return enveloped({ group: "", version: "v1" }, kind, messageOf("Status", values));
}

/** `k8s\0` and a `runtime.Unknown`. */
function enveloped(row: Pick<ResourceRow, "group" | "version">, kind: string, raw: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writeHead(writer, row, kind);
  writer.bytes(2, raw);
  writeTail(writer);
  return writer.taken();
}

function writeHead(writer: WireWriter, row: Pick<ResourceRow, "group" | "version">, kind: string): void {
  writer.raw(magic);
  writer.nested(1, () => {
    writer.text(1, row.group === "" ? row.version : `${row.group}/${row.version}`);
    writer.text(2, kind);
  });
}

/** No encoding, no type: these fields are always there. */
function writeTail(writer: WireWriter): void {
  writer.text(3, "");
  writer.text(4, "");
}

/** A length, then a `meta.v1.WatchEvent`. */
function frameOf(type: FrameType, object: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer.text(1, type);
  writer.nested(2, () => writer.bytes(1, object));
  const event = writer.taken();
  const frame = Buffer.allocUnsafe(4 + event.length);
  frame.writeUInt32BE(event.length);
  frame.set(event, 4);
  return frame;
}

/** A list tells its length first, so its items are written before the first piece is sent; none of them twice. */
function* listPieces(
  row: ResourceRow,
  metadata: Uint8Array,
  items: readonly KubeObject[],
): Generator<Uint8Array, void, void> {
  const parts = [fieldOf(1, metadata), ...items.map((item) => fieldOf(2, messageOf(row.kind, item)))];
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = new WireWriter();
  writeHead(head, row, `${row.kind}List`);
  head.head(2, length);
  const tail = new WireWriter();
  writeTail(tail);
  let piece = [head.taken()];
  let gathered = 0;
  for (const part of [...parts, tail.taken()]) {
    piece.push(part);
    gathered += part.length;
    if (gathered < pieceBytes) continue;
    yield Buffer.concat(piece);
    piece = [];
    gathered = 0;
  }
  if (piece.length > 0) yield Buffer.concat(piece);
}

function fieldOf(number: number, content: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer.bytes(number, content);
  return writer.taken();
}
