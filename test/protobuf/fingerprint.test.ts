import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { consumedFields } from "../../src/filter/consumed.ts";
import { projectEndpointSlice } from "../../src/filter/project-endpoint-slice.ts";
import { objectReaders } from "../../src/protobuf/object-reader.ts";
import { WireBytes } from "../../src/protobuf/wire-bytes.ts";
import type { Kind } from "../../src/watch/events.ts";
import { readEnvelope } from "../../src/watch/protobuf/envelope.ts";
import { fieldsOf } from "../sim/kubernetes/protobuf/wire-tree.ts";
import { anyObject } from "./any-object.ts";
import { sliceBytes, type SliceJson } from "./object-bytes.ts";
import { readers } from "./readers.ts";
import { recordedFrame, type RecordedKind, type Variant } from "./recordings.ts";

function fingerprint(kind: Kind, bytes: Buffer, from = 0, by = readers): string {
  return JSON.stringify(by[kind].fingerprint(new WireBytes(bytes), from, bytes.length));
}

function recorded(kind: RecordedKind, variant: Variant): string {
  const event = fieldsOf(recordedFrame(kind, variant).subarray(4))!;
  const raw = fieldsOf(event[1]!.content)![0]!.content;
  const { from, to } = readEnvelope(raw, 0, raw.length);
  return fingerprint(kind, raw.subarray(0, to), from);
}

describe("fingerprints", () => {
  test.each(["pods", "endpointslices", "nodes"] as const)(
    "of real %s: noise has that of what stood, a flip another one",
    (kind) => {
      expect(recorded(kind, "noise")).toBe(recorded(kind, "base"));
      expect(recorded(kind, "flip")).not.toBe(recorded(kind, "base"));
    },
  );

  test("do not depend on where the bytes stand, but on the seed", () => {
    const other = objectReaders(consumedFields, () => 0.25);
    fc.assert(
      fc.property(anyObject, fc.nat(20), ({ kind, bytes }, offset) => {
        const moved = Buffer.concat([Buffer.alloc(offset), bytes]);
        expect(fingerprint(kind, moved, offset)).toBe(fingerprint(kind, bytes));
        expect(fingerprint(kind, bytes, 0, other)).not.toBe(fingerprint(kind, bytes));
      }),
    );
  });

  test("objects that project differently never share one", () => {
    const few = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3");
    const flag = fc.constantFrom(true, false, undefined);
    const endpoint = fc
      .record({ addresses: fc.array(few, { minLength: 1, maxLength: 2 }), ready: flag, terminating: flag })
      .map(({ addresses, ready, terminating }) => ({
        addresses,
        conditions: {
          ...(ready === undefined ? {} : { ready }),
          ...(terminating === undefined ? {} : { terminating }),
        },
      }));
    const slice = fc.array(endpoint, { maxLength: 3 }).map((endpoints): SliceJson => ({
      metadata: { labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      endpoints,
    }));
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(slice, (json) => {
        const key = fingerprint("endpointslices", sliceBytes(json));
        const projection = JSON.stringify(projectEndpointSlice(json));
        expect(seen.get(key) ?? projection).toBe(projection);
        seen.set(key, projection);
      }),
      { numRuns: 2000 },
    );
    expect(seen.size).toBeGreaterThan(500);
  });

  test("tell what stands inside a message from what stands beside it, and every bit of a text", () => {
    const slice = (...addresses: string[][]): string =>
      fingerprint(
        "endpointslices",
        sliceBytes({ metadata: {}, endpoints: addresses.map((list) => ({ addresses: list })) }),
      );
    const all = [
      slice(["a", "b"]),
      slice(["a"], ["b"]),
      slice(["ab"]),
      slice(["a"], [], ["b"]),
      slice(["b"], ["a"]),
    ];
    expect(new Set(all).size).toBe(all.length);
    const text = "endpoint-address-of-some-length";
    const flipped = [...text].flatMap((_character, at) =>
      [1, 2, 4, 8, 16, 32, 64].map((bit) => {
        const bytes = Buffer.from(text);
        bytes[at]! ^= bit;
        return slice([bytes.toString("latin1")]);
      }),
    );
    expect(new Set([slice([text]), ...flipped]).size).toBe(flipped.length + 1);
  });
});
