import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TranslatorError } from "../../../src/errors.ts";
import { WireError } from "../../../src/protobuf/wire-error.ts";
import { decoderFor, type Frame } from "../../../src/watch/decoder.ts";
import { scopedRows, type KindRow } from "../../../src/watch/kinds.ts";
import { podBytes } from "../../protobuf/object-bytes.ts";
import { readers } from "../../protobuf/readers.ts";
import { recordedFrame, recordings } from "../../protobuf/recordings.ts";
import { int, join, part, statusBytes, text, watchFrame } from "../../protobuf/wire-parts.ts";

const [row] = scopedRows("pods", {}, readers) as [KindRow];
const decoder = decoderFor("application/vnd.kubernetes.protobuf", row)!;

const metadata = { name: "web", namespace: "shop", resourceVersion: "7" };
const pod = podBytes({ metadata, spec: { containers: [] }, status: {} });

function read(...chunks: Buffer[]): Frame[] {
  const reader = decoder.frames(row, 1);
  const frames = chunks.flatMap((chunk) => [...reader.push(chunk)]);
  reader.end();
  return frames;
}

function fault(...chunks: Buffer[]): string {
  try {
    read(...chunks);
    return "none";
  } catch (error) {
    return error instanceof TranslatorError ? `${error.code} ${error.message}` : String(error);
  }
}

/** `type`, then an object that stands by itself: no `k8s\0`. */
function framed(event: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return join(length, event);
}

describe("frames", () => {
  test("a bookmark moves the version, and ends the initial events where it says so", () => {
    const bookmark = (annotations: Readonly<Record<string, string>>): Frame[] =>
      read(
        watchFrame(
          "BOOKMARK",
          "Pod",
          podBytes({ metadata: { resourceVersion: "9", annotations }, spec: { containers: [] }, status: {} }),
        ),
      );
    expect(bookmark({})).toEqual([{ type: "bookmark", resourceVersion: "9", initialEnd: false }]);
    expect(bookmark({ "k8s.io/initial-events-end": "true" })).toMatchObject([{ initialEnd: true }]);
    expect(bookmark({ "k8s.io/initial-events-end": "false" })).toMatchObject([{ initialEnd: false }]);
  });

  test("an error carries its Status, with the time to wait", () => {
    const status = { message: "too old resource version: 1 (9)", reason: "Expired", code: 410 };
    const [frame] = read(
      framed(join(text(1, "ERROR"), part(2, part(1, statusBytes({ ...status, retryAfterSeconds: 2 }))))),
    );
    expect(frame).toMatchObject({
      type: "error",
      error: {
        code: "KUBE_STATUS",
        status: 410,
        retryAfter: 2000,
        message: expect.stringContaining("too old"),
      },
    });
  });

  test.each([
    ["of another kind", watchFrame("ADDED", "Service", pod), "another kind"],
    ["of a type that is none", watchFrame("SOMETHING", "Pod", pod), "unknown type"],
    ["without a name", watchFrame("ADDED", "Pod", part(1, text(6, "7"))), "no name or no namespace"],
    ["without a version", watchFrame("ADDED", "Pod", part(1, text(1, "web"))), "no resourceVersion"],
    [
      "that is not Kubernetes' protobuf",
      framed(join(text(1, "ADDED"), part(2, part(1, pod)))),
      "does not begin",
    ],
    [
      "whose metadata reaches past the object",
      watchFrame("ADDED", "Pod", pod.subarray(0, 10)),
      "past its message",
    ],
    ["that is longer than any object", Buffer.of(0x7f, 0, 0, 0), "longer than 4194304 bytes"],
    ["that is empty", framed(Buffer.alloc(0)), "does not begin"],
  ])("one %s ends the watch", (_what, frame, message) => {
    expect(fault(frame)).toMatch(/^KUBE_PROTOCOL a watch event cannot be read: /);
    expect(fault(frame)).toContain(message);
  });

  test.each([
    ["a number where a text is", part(3, int(1, 5)), "wrong wire type"],
    ["a group, which is no part of it", Buffer.of(0x1b), "unknown wire type"],
    ["a field that reaches past the object", Buffer.of(0x12, 0x7f), "past its message"],
    ["a field that is cut off", Buffer.of(0x12), "past its message"],
    ["a number without end", Buffer.from([0x08, ...Array.from({ length: 11 }, () => 0xff)]), "too long"],
  ])("%s inside the object shows when it is read", (_what, damage, message) => {
    const [frame] = read(watchFrame("ADDED", "Pod", join(pod, damage)));
    if (frame?.type !== "apply") throw new Error("no object");
    const { wire } = frame.item;
    expect(() => wire.fingerprint()).toThrow(WireError);
    expect(() => wire.fingerprint()).toThrow(message);
    expect(() => wire.value()).toThrow(message);
  });

  test("a length alone reserves no memory, and a stream that ends inside a frame is a broken connection", () => {
    expect(fault(Buffer.of(0, 0x3f, 0xff, 0xff))).toMatch(/^KUBE_CONNECTION/);
    expect(fault(Buffer.of(0, 0))).toMatch(/^KUBE_CONNECTION/);
    expect(fault()).toBe("none");
  });

  test("whatever a byte becomes, the frame is refused or read, and nothing else happens", () => {
    const recorded = fc.constantFrom(...recordings.filter(({ kind }) => kind !== "nodes"));
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 3,
    });
    let refused = 0;
    fc.assert(
      fc.property(recorded, damage, fc.nat(), ({ kind, variant }, bytes, cut) => {
        const [kindRow] = scopedRows(kind, {}, readers) as [KindRow];
        const frame = Buffer.from(recordedFrame(kind, variant));
        // What matters stands at the begin: that is where most bytes are hit.
        for (const [at, byte] of bytes) frame[4 + (at % (cut % 2 === 0 ? 400 : frame.length - 4))] = byte;
        const reader = decoder.frames(kindRow, 1);
        try {
          for (const piece of [frame.subarray(0, cut % frame.length), frame.subarray(cut % frame.length)]) {
            for (const found of reader.push(piece))
              if (found.type === "apply") {
                found.item.wire.fingerprint();
                found.item.wire.value();
              }
          }
          reader.end();
        } catch (error) {
          refused++;
          if (error instanceof WireError) return;
          expect(error).toMatchObject({ code: expect.stringMatching(/^KUBE_/) });
        }
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  test("cut off anywhere inside, a frame gives nothing", () => {
    const frame = watchFrame("ADDED", "Pod", pod);
    for (let length = 1; length < frame.length; length++) {
      expect(fault(frame.subarray(0, length))).toMatch(/^KUBE_CONNECTION/);
    }
  });
});
