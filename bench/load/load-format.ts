import { protobufEncoder } from "../../src/sim/kubernetes/protobuf/protobuf-encoder.ts";
import { WireWriter } from "../../src/sim/kubernetes/protobuf/wire-writer.ts";
import { writeMessage } from "../../src/sim/kubernetes/protobuf/write-message.ts";
import { apiVersionOf, type ResourceRow } from "../../src/sim/kubernetes/resources.ts";
import { jsonEncoder, type ListMeta, type WireEncoder } from "../../src/sim/kubernetes/wire-encoder.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";

/** A format of lists whose items are encoded already. */
export interface LoadFormat {
  readonly isJson: boolean;
  readonly encoder: WireEncoder;
  /** An item as it stands in a list. */
  item(row: ResourceRow, object: KubeObject): Uint8Array;
  /** What comes before the items; their lengths are known. */
  head(row: ResourceRow, meta: ListMeta, lengths: readonly number[]): Uint8Array;
  /** What comes before one item. */
  before(length: number, index: number): Uint8Array;
  readonly tail: Uint8Array;
}

const emptyTail = new WireWriter();
emptyTail.text(3, "");
emptyTail.text(4, "");

export const protobufFormat: LoadFormat = {
  isJson: false,
  encoder: protobufEncoder,
  item: (row, object) => message(row.kind, object),
  head(row, meta, lengths) {
    const listMeta = message("ListMeta", meta);
    const length = lengths.reduce((sum, each) => sum + fieldLength(each), fieldLength(listMeta.length));
    const writer = new WireWriter();
    writer.raw(Buffer.from("k8s\0"));
    writer.nested(1, () => {
      writer.text(1, apiVersionOf(row));
      writer.text(2, `${row.kind}List`);
    });
    writer.head(2, length);
    writer.bytes(1, listMeta);
    return writer.taken();
  },
  before(length) {
    const writer = new WireWriter();
    writer.head(2, length);
    return writer.taken();
  },
  tail: emptyTail.taken(),
};

export const jsonFormat: LoadFormat = {
  isJson: true,
  encoder: jsonEncoder,
  item(row, object) {
    const text = Buffer.concat([...jsonEncoder.list(row, { resourceVersion: "1" }, [object])]).toString();
    return Buffer.from(text.slice(text.indexOf('"items":[') + 9, text.lastIndexOf("]}")));
  },
  head: (row, meta) =>
    Buffer.from(
      `{"kind":"${row.kind}List","apiVersion":"${apiVersionOf(row)}","metadata":${JSON.stringify(meta)},"items":[`,
    ),
  before: (_length, index) => Buffer.from(index === 0 ? "" : ","),
  tail: Buffer.from("]}\n"),
};

function message(type: string, value: object): Uint8Array {
  const writer = new WireWriter();
  writeMessage(writer, type, value);
  return writer.taken();
}

/** Of a length-prefixed field. */
function fieldLength(content: number): number {
  let bytes = 2;
  for (let rest = content; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes + content;
}
