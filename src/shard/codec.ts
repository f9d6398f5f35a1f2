import { Packr } from "msgpackr";
import type { Packed, PodProjection } from "../store/projection.ts";
import type { FromShard, ToShard } from "./protocol.ts";

/**
 * Bytes of everything that crosses a thread or rests in the store; the owner of msgpackr.
 *
 * A result is always an exact-size copy: a pooled buffer that is transferred would take its neighbours with it.
 */

const messages = new Packr({ useRecords: false, encodeUndefinedAsNil: false, variableMapSize: true });
const projections = new Packr({ useRecords: false, variableMapSize: true });

function exact(bytes: Uint8Array): Packed {
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  return copy;
}

const epochBytes = 4;

/** A message behind the epoch of its shard, so that one of another epoch can be dropped unread. */
export function encode(epoch: number, message: ToShard | FromShard): Packed {
  const packed = messages.pack(message);
  const bytes = new Uint8Array(epochBytes + packed.byteLength);
  new DataView(bytes.buffer).setUint32(0, epoch, true);
  bytes.set(packed, epochBytes);
  return bytes;
}

/** Errors: RangeError where the bytes are too few to be a message. */
export function epochOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
}

/** Whatever the message is: the receiver checks it. Errors: those of msgpackr where the bytes are no message. */
export function decode(bytes: Uint8Array): unknown {
  return messages.unpack(bytes.subarray(epochBytes));
}

/** An array of values in a fixed order: equal bytes exactly for equal projections. */
export function packPod(pod: PodProjection): Packed {
  const flags = (pod.terminating ? 1 : 0) | (pod.ready ? 2 : 0) | (pod.paused ? 4 : 0);
  return exact(
    projections.pack([
      ...[pod.namespace, pod.name, pod.uid, pod.created, flags, pod.phase],
      ...[pod.ips, pod.ports, pod.controller, pod.routes ?? null],
    ]),
  );
}

type PackedPod = readonly [
  namespace: string,
  name: string,
  uid: string,
  created: number,
  flags: number,
  phase: string,
  ips: string[],
  ports: [string, number][],
  controller: string,
  routes: string | null,
];

export function unpackPod(bytes: Uint8Array): PodProjection {
  const [namespace, name, uid, created, flags, phase, ips, ports, controller, routes] = projections.unpack(
    bytes,
  ) as PackedPod;
  const marks = { terminating: (flags & 1) !== 0, ready: (flags & 2) !== 0, paused: (flags & 4) !== 0 };
  return {
    namespace,
    name,
    uid,
    created,
    phase,
    ips,
    ports,
    controller,
    routes: routes ?? undefined,
    ...marks,
  };
}
