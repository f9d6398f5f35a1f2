import { readFileSync } from "node:fs";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { protobufEncoder } from "../../src/sim/kubernetes/protobuf/protobuf-encoder.ts";
import { resourceRows } from "../../src/sim/kubernetes/resources.ts";
import { jsonEncoder } from "../../src/sim/kubernetes/wire-encoder.ts";

/** Objects of a real API server, told apart by name, uid and address; what came of each since. */

export const benchKinds = ["endpointslices", "pods", "nodes"] as const;
export type BenchKind = (typeof benchKinds)[number];
export type Format = "json" | "protobuf";

/** `noise`: only what nobody consumes differs from before. `real`: each event changes one consumed field. */
export type Change = "noise" | "real";

export interface Events {
  /** Each object once, as it stands at first. */
  readonly first: readonly Buffer[];
  /** Two further rounds over all objects, to be sent in turn. */
  readonly rounds: Readonly<Record<Change, readonly (readonly Buffer[])[]>>;
  readonly bytesPerEvent: number;
}

const files: Readonly<Record<BenchKind, string>> = {
  endpointslices: "endpointslice",
  pods: "pod",
  nodes: "node",
};

/** As much as one TLS record holds: what a socket hands over at once. */
const pieceBytes = 16 * 1024;

interface Recorded {
  metadata: Record<string, unknown> & { name: string };
  spec?: object;
  status?: object;
  endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions: object }[];
}

export function eventsOf(kind: BenchKind, format: Format, objects: number): Events {
  const make = (version: number, variant: "base" | "noise" | "flip") =>
    Array.from({ length: objects }, (_, index) =>
      written(kind, format, object(kind, variant, index, version)),
    );
  const first = make(1, "base");
  return {
    first: pieces(first),
    rounds: {
      noise: [pieces(make(2, "noise")), pieces(make(3, "base"))],
      real: [pieces(make(4, "flip")), pieces(make(5, "base"))],
    },
    bytesPerEvent: Math.round(first.reduce((sum, frame) => sum + frame.length, 0) / objects),
  };
}

function written(kind: BenchKind, format: Format, object: KubeObject): Buffer {
  const encoder = format === "json" ? jsonEncoder : protobufEncoder;
  return Buffer.from(encoder.frame("MODIFIED", resourceRows[kind], object));
}

const templates = new Map<string, Recorded>();

function object(
  kind: BenchKind,
  variant: "base" | "noise" | "flip",
  index: number,
  version: number,
): KubeObject {
  const name = `${files[kind]}.${variant}.json`;
  let template = templates.get(name);
  if (template === undefined) {
    const url = new URL(`../../test/fixtures/kubernetes/${name}`, import.meta.url);
    template = JSON.parse(readFileSync(url, "utf8")) as Recorded;
    templates.set(name, template);
  }
  const {
    kind: _kind,
    apiVersion: _version,
    ...rest
  } = template as Recorded & { kind: string; apiVersion: string };
  const metadata = {
    ...rest.metadata,
    name: `${rest.metadata.name}-${index}`,
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    resourceVersion: String(900_000_000 + version * 100_000 + index),
    labels: { ...(rest.metadata["labels"] as object), "apisix-translator.io/enabled": "true" },
  };
  return { ...rest, metadata } as unknown as KubeObject;
}

function pieces(frames: readonly Buffer[]): Buffer[] {
  const whole = Buffer.concat(frames);
  return Array.from({ length: Math.ceil(whole.length / pieceBytes) }, (_, index) =>
    Buffer.from(whole.subarray(index * pieceBytes, (index + 1) * pieceBytes)),
  );
}
