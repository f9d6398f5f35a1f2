import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode, epochOf } from "../../src/shard/codec.ts";
import { inBytes } from "../../src/shard/kept-bytes.ts";
import type { ToShard } from "../../src/shard/protocol.ts";
import { options } from "./fleet.ts";
import { applied, deleted, identity } from "./objects.ts";

const messages: ToShard[] = [
  { type: "batch", seq: 7, entries: inBytes([applied("a", 1.25), deleted("b", 2.5)]) },
  { type: "cluster", cluster: "east", uid: "u" },
  { type: "configure", options },
  { type: "settle", cluster: "east", kind: "pods", token: 3 },
  { type: "known", entries: [{ id: "t-1", identity: identity("a"), upstream: { digest: "d" } }] },
  { type: "forget", ids: ["t-1", "t-2"] },
  { type: "want", id: "t-1", resource: "upstream" },
  { type: "kept", id: "t-1", upstream: { nodes: [{ host: "10.0.0.1", port: 1, weight: 0 }] }, route: null },
];

describe("messages", () => {
  it.each(messages)("$type comes back as it was, behind its epoch", (message) => {
    const bytes = encode(4_000_000_000, message);
    expect(epochOf(bytes)).toBe(4_000_000_000);
    expect(decode(bytes)).toEqual(message);
  });

  it("span their whole buffer, whatever their size, so that a transfer takes nothing else along", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20_000 }), (uid) => {
        const bytes = encode(1, { type: "cluster", cluster: "east", uid });
        expect(bytes.byteOffset).toBe(0);
        expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
        expect(decode(bytes)).toEqual({ type: "cluster", cluster: "east", uid });
      }),
    );
  });

  it("bytes that are too few for an epoch are an error", () => {
    expect(() => epochOf(new Uint8Array(3))).toThrow(RangeError);
  });
});
