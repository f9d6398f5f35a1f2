import { describe, expect, test } from "vitest";
import { TranslatorError } from "../../../src/errors.ts";
import { decoderFor } from "../../../src/watch/decoder.ts";
import { scopedRows, type KindRow } from "../../../src/watch/kinds.ts";
import { podBytes } from "../../protobuf/object-bytes.ts";
import { readers } from "../../protobuf/readers.ts";
import { envelope, int, join, listBytes, part, statusBytes, text } from "../../protobuf/wire-parts.ts";

const [row] = scopedRows("pods", {}, readers) as [KindRow];
const decoder = decoderFor("application/vnd.kubernetes.protobuf", row)!;

const podNamed = (name: string): Buffer =>
  podBytes({ metadata: { name, namespace: "shop" }, spec: { containers: [] }, status: {} });

/** Names of the items, and what the page says after them. */
function read(bytes: Buffer, size = bytes.length): { names: string[]; end: unknown } {
  const reader = decoder.page(row, 1);
  const names: string[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const { key } of reader.push(bytes.subarray(at, at + size))) names.push(key.name);
  }
  return { names, end: reader.end() };
}

function fault(bytes: Buffer, size?: number): string {
  try {
    read(bytes, size);
    return "none";
  } catch (error) {
    return error instanceof TranslatorError ? `${error.code} ${error.message}` : String(error);
  }
}

const two = [podNamed("a"), podNamed("b")];
const meta = { resourceVersion: "2000", continue: "next" };

describe("pages", () => {
  test("an item comes as soon as its bytes are there", () => {
    const whole = listBytes("PodList", two, meta);
    const reader = decoder.page(row, 1);
    const seen: string[] = [];
    let before = 0;
    for (const [at, byte] of whole.entries()) {
      for (const { key } of reader.push(Buffer.of(byte))) {
        seen.push(key.name);
        if (seen.length === 1) before = at;
      }
    }
    expect(seen).toEqual(["a", "b"]);
    expect(before).toBeLessThan(whole.indexOf(two[1]!));
    expect(reader.end()).toEqual({ resourceVersion: "2000", continue: "next" });
  });

  test("an empty list, and items of no bytes at its very end", () => {
    expect(read(listBytes("PodList", [], meta))).toEqual({ names: [], end: meta });
    expect(fault(listBytes("PodList", [Buffer.alloc(0)], meta))).toContain("no name or no namespace");
  });

  test("fields that are not known are passed over, whatever their type", () => {
    const fixed = Buffer.of((9 << 3) | 5, 1, 2, 3, 4);
    const long = Buffer.of((10 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8);
    const list = join(
      part(1, text(2, "5")),
      fixed,
      int(8, -1),
      part(2, two[0]!),
      long,
      part(700, Buffer.alloc(300)),
    );
    const body = join(envelope("PodList", list), int(9, 2 ** 40));
    for (const size of [1, 3, body.length]) {
      expect(read(body, size)).toEqual({ names: ["a"], end: { resourceVersion: "5", continue: "" } });
    }
  });

  test.each([
    ["of another kind", listBytes("ServiceList", two), "not a PodList"],
    ["that is a Status", statusBytes({ message: "no", reason: "InternalError", code: 500 }), "not a PodList"],
    ["that is JSON", Buffer.from('{"kind":"PodList","items":[]}'), "does not begin"],
    ["without a version", listBytes("PodList", two, {}), "no resourceVersion"],
    [
      "with an endless token",
      listBytes("PodList", two, { ...meta, continue: "x".repeat(40_000) }),
      "continue token",
    ],
    [
      "whose item reaches past it",
      envelope("PodList", join(part(2, two[0]!), Buffer.of(0x12, 0x7f))),
      "past its message",
    ],
    ["that ends inside a field's head", envelope("PodList", Buffer.of(0x12)), "past its message"],
    [
      "with an item over the limit",
      join(
        listBytes("PodList", []).subarray(0, 0),
        envelope("PodList", Buffer.from([0x12, 0x80, 0x80, 0x80, 0x04])),
      ),
      "past its message",
    ],
    ["that comes twice", join(listBytes("PodList", two), part(2, Buffer.alloc(0))), "twice"],
    ["that is encoded once more", join(listBytes("PodList", two), text(3, "gzip")), "encoded once more"],
    ["of no bytes", Buffer.alloc(0), "cut off"],
  ])("one %s is refused", (_what, bytes, message) => {
    expect(fault(bytes)).toMatch(/^KUBE_PROTOCOL a list cannot be read: /);
    expect(fault(bytes)).toContain(message);
    expect(fault(bytes, 1)).toContain(message);
  });

  test("cut off anywhere, a list is refused", () => {
    const whole = listBytes("PodList", two, meta);
    // The last fields of the envelope, which are empty, may be absent.
    for (let length = 0; length < whole.length - 4; length++) {
      expect(fault(whole.subarray(0, length))).toMatch(/^KUBE_PROTOCOL/);
    }
  });

  test("a part that is too long is refused before it is held", () => {
    const big = (number: number, length: number): Buffer => {
      const content = Buffer.alloc(length);
      return envelope("PodList", join(part(number, content))).subarray(0, 200);
    };
    expect(fault(big(2, 4 * 1024 * 1024 + 1))).toContain("longer than 4194304 bytes");
    expect(fault(big(1, 64 * 1024 + 1))).toContain("longer than 65536 bytes");
  });
});
