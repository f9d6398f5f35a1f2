/** What a page of a list says of itself. */
export interface Page {
  readonly objects: number;
  readonly isLast: boolean;
}

type Field = readonly [number: number, content: Buffer];

/** A page of a list in Kubernetes' protobuf; undefined for what is no page. */
export function readProtobufPage(bytes: Buffer): Page | undefined {
  try {
    const list = first(fieldsOf(bytes.subarray(4)), 2);
    const metadata = fieldsOf(first(fieldsOf(list), 1));
    if (first(metadata, 2).length === 0) return undefined;
    const objects = fieldsOf(list).filter(([number]) => number === 2).length;
    return { objects, isLast: first(metadata, 3).length === 0 };
  } catch {
    return undefined;
  }
}

function first(fields: readonly Field[], sought: number): Buffer {
  return fields.find(([number]) => number === sought)?.[1] ?? Buffer.alloc(0);
}

/** The length-delimited fields of a message. Errors: where they do not fill it exactly. */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) continue;
    if (tag % 8 !== 2 || at + value > bytes.length) throw new Error("not a message");
    fields.push([Math.floor(tag / 8), bytes.subarray(at, at + value)]);
    at += value;
  }
  return fields;
}
