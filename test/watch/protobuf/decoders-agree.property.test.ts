import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { projectEndpointSlice } from "../../../src/filter/project-endpoint-slice.ts";
import { projectNode } from "../../../src/filter/project-node.ts";
import { projectPod } from "../../../src/filter/project-pod.ts";
import { projectService } from "../../../src/filter/project-service.ts";
import { decoderFor, type Frame, type Item } from "../../../src/watch/decoder.ts";
import type { Kind } from "../../../src/watch/events.ts";
import { scopedRows, type KindRow } from "../../../src/watch/kinds.ts";
import { anyObject, kindNames, type AnyObject } from "../../protobuf/any-object.ts";
import { readers } from "../../protobuf/readers.ts";
import { recordedFrame, recordedObject, recordings } from "../../protobuf/recordings.ts";
import { listBytes, watchFrame } from "../../protobuf/wire-parts.ts";

const project = {
  pods: projectPod,
  services: projectService,
  endpointslices: projectEndpointSlice,
  nodes: projectNode,
} as const;

const rowOf = (kind: Kind): KindRow => scopedRows(kind, {}, readers)[0]!;
const protobuf = (row: KindRow) => decoderFor("application/vnd.kubernetes.protobuf;stream=watch", row)!;
const json = (row: KindRow) => decoderFor("application/json", row)!;

/** What the filter would see of it: views into the wire do not outlive the next item. */
function seen(kind: Kind, { key, wire }: Item): unknown {
  return [key, project[kind](wire.value())];
}

function told(kind: Kind, frame: Frame): unknown {
  return frame.type === "apply" ? [frame.resourceVersion, ...[seen(kind, frame.item)]] : frame;
}

/** The bytes in pieces of these sizes, over and over. */
function* pieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield Buffer.from(bytes.subarray(at, at + size));
    at += size;
  }
}

const anySizes = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 5 });

function frames(
  row: KindRow,
  decoder: ReturnType<typeof json>,
  bytes: Buffer,
  sizes: readonly number[],
): unknown[] {
  const reader = decoder.frames(row, 1);
  const all: unknown[] = [];
  for (const piece of pieces(bytes, sizes))
    for (const frame of reader.push(piece)) all.push(told(row.kind as Kind, frame));
  reader.end();
  return all;
}

function page(
  row: KindRow,
  decoder: ReturnType<typeof json>,
  bytes: Buffer,
  sizes: readonly number[],
): unknown[] {
  const reader = decoder.page(row, 1);
  const all: unknown[] = [];
  for (const piece of pieces(bytes, sizes))
    for (const item of reader.push(piece)) all.push(seen(row.kind as Kind, item));
  return [...all, reader.end()];
}

const jsonFrame = (type: string, { json: object }: AnyObject): Buffer =>
  Buffer.from(`${JSON.stringify({ type, object })}\n`);

describe("both decoders give the same", () => {
  test("of watch events, however their bytes are cut", () => {
    const events = fc.array(fc.tuple(fc.constantFrom("ADDED", "MODIFIED", "DELETED"), anyObject), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(events, anySizes, (all, sizes) => {
        const kind = all[0]![1].kind;
        const same = all.filter(([, object]) => object.kind === kind);
        const row = rowOf(kind);
        const binary = Buffer.concat(
          same.map(([type, { bytes }]) => watchFrame(type, kindNames[kind], bytes)),
        );
        const text = Buffer.concat(same.map(([type, object]) => jsonFrame(type, object)));
        expect(frames(row, protobuf(row), binary, sizes)).toEqual(frames(row, json(row), text, []));
      }),
      { numRuns: 400 },
    );
  });

  test("of lists, however their bytes are cut", () => {
    const metadata = fc.record({
      resourceVersion: fc.constantFrom("1", "2000"),
      continue: fc.constantFrom("", "next"),
    });
    fc.assert(
      fc.property(fc.array(anyObject, { maxLength: 4 }), metadata, anySizes, (all, meta, sizes) => {
        const kind = all[0]?.kind ?? "pods";
        const same = all.filter((object) => object.kind === kind);
        const row = rowOf(kind);
        const binary = listBytes(
          row.listKind,
          same.map(({ bytes }) => bytes),
          meta,
        );
        const text = JSON.stringify({
          kind: row.listKind,
          metadata: meta,
          items: same.map((object) => object.json),
        });
        expect(page(row, protobuf(row), binary, sizes)).toEqual(page(row, json(row), Buffer.from(text), []));
      }),
      { numRuns: 400 },
    );
  });

  test.each(recordings)("of a real $kind, $variant", ({ kind, variant }) => {
    const row = rowOf(kind);
    const text = Buffer.from(
      `${JSON.stringify({ type: "MODIFIED", object: recordedObject(kind, variant) })}\n`,
    );
    const binary = recordedFrame(kind, variant);
    expect(frames(row, protobuf(row), binary, [])).toEqual(frames(row, json(row), text, []));
    expect(frames(row, protobuf(row), binary, [7, 1000])).toEqual(frames(row, json(row), text, []));
  });
});
