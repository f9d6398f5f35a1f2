import { Packr } from "msgpackr";
import type { Packed, PodProjection } from "../store/projection.ts";
import type { FromShard, ToShard } from "./protocol.ts";

/**
 * Bytes of everything that crosses a thread or rests in the store; the owner of msgpackr.
 *
 * A result is always an exact-size copy: a pooled buffer that is transferred would take its neighbours with it.
 */

/** Messages travel in an envelope with the shard's epoch: one of another epoch is dropped unread. */
export interface Envelope<Message> {
  readonly epoch: number;
  readonly message: Message;
}

const messages = new Packr({ useRecords: false, encodeUndefinedAsNil: false, variableMapSize: true });
const projections = new Packr({ useRecords: false, variableMapSize: true });

function exact(bytes: Uint8Array): Packed {
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(bytes);
  return copy;
}

export function encode(epoch: number, message: ToShard | FromShard): Packed {
  return exact(messages.pack([epoch, message]));
}

export function decode<Message extends ToShard | FromShard>(bytes: Uint8Array): Envelope<Message> {
  const [epoch, message] = messages.unpack(bytes) as [number, Message];
  return { epoch, message };
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
