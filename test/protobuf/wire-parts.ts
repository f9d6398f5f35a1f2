/** Kubernetes' protobuf by hand: envelopes, lists and frames around objects, and what fields are made of. */

/** A frame of a watch: length, WatchEvent, RawExtension, `k8s\0`, Unknown. */
export function watchFrame(type: string, kind: string, object: Buffer): Buffer {
  return rawFrame(type, envelope(kind, object));
}

/** As `watchFrame`, around an envelope. */
export function rawFrame(type: string, raw: Buffer): Buffer {
  const event = join(text(1, type), part(2, part(1, raw)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return join(length, event);
}

export function envelope(kind: string, object: Buffer): Buffer {
  const typeMeta = join(text(1, "v1"), text(2, kind));
  return join(Buffer.from("k8s\0"), part(1, typeMeta), part(2, object), text(3, ""), text(4, ""));
}

export interface ListBytes {
  readonly resourceVersion?: string;
  readonly continue?: string;
}

export function listBytes(
  kind: string,
  items: readonly Buffer[],
  metadata: ListBytes = { resourceVersion: "2000" },
): Buffer {
  const meta = join(text(1, ""), text(2, metadata.resourceVersion ?? ""), text(3, metadata.continue ?? ""));
  return envelope(kind, join(part(1, meta), ...items.map((item) => part(2, item))));
}

export function statusBytes(values: {
  readonly message: string;
  readonly reason: string;
  readonly code: number;
  readonly retryAfterSeconds?: number;
}): Buffer {
  const details = int(5, values.retryAfterSeconds ?? 0);
  return envelope(
    "Status",
    join(
      text(2, "Failure"),
      text(3, values.message),
      text(4, values.reason),
      part(5, details),
      int(6, values.code),
    ),
  );
}

export const nothing = Buffer.alloc(0);

export const join = (...parts: readonly Buffer[]): Buffer => Buffer.concat(parts);

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

export const part = (number: number, content: Buffer): Buffer =>
  join(varint(number * 8 + 2), varint(content.length), content);
export const text = (number: number, value: string): Buffer => part(number, Buffer.from(value));
export const int = (number: number, value: number): Buffer => join(varint(number * 8), varint(value));
