import { readFileSync } from "node:fs";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";

/** Objects of a real API server, once as JSON and once as the frame of a watch in protobuf. */

export type RecordedKind = "pods" | "endpointslices" | "nodes";
export type Variant = "base" | "noise" | "flip";

const files = { pods: "pod", endpointslices: "endpointslice", nodes: "node" } as const;

export const recordings = (["pods", "endpointslices", "nodes"] as const).flatMap((kind) =>
  (["base", "noise", "flip"] as const).map((variant) => ({ kind, variant })),
);

/** One frame of a watch, with its length. */
export function recordedFrame(kind: RecordedKind, variant: Variant): Buffer {
  return read(`${files[kind]}.${variant}.watch.pb`);
}

/** As an embedded cluster keeps it: without kind and apiVersion. A fresh copy each time. */
export function recordedObject(kind: RecordedKind, variant: Variant): KubeObject {
  const {
    kind: _kind,
    apiVersion: _version,
    ...object
  } = JSON.parse(read(`${files[kind]}.${variant}.json`).toString("utf8")) as KubeObject & {
    kind: string;
    apiVersion: string;
  };
  return object;
}

function read(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/kubernetes/${name}`, import.meta.url));
}
