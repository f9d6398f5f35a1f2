import { isIPv4, isIPv6, SocketAddress } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addressBytes,
  addressKey,
  readAddress,
  writeAddress,
  type Family,
} from "../../src/store/ip-address.ts";
import { nodeMark } from "../../src/store/node-mark.ts";

/** The canonical text; undefined where it is no address. */
function canonical(text: string, family: Family): string | undefined {
  const key = addressKey(text, family);
  if (key === undefined) return undefined;
  const bytes = new Uint8Array(addressBytes[family] + 1);
  writeAddress(bytes, 1, key);
  return readAddress(bytes, 1, family);
}

describe("addresses", () => {
  test.each([
    ["::", "::"],
    ["::1", "::1"],
    ["FD00:0:0:0::A", "fd00::a"],
    ["2001:db8:0:1:0:0:0:1", "2001:db8:0:1::1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"],
    ["::ffff:10.0.0.1", "::ffff:a00:1"],
  ])("E9: %s is written %s", (text, shortest) => {
    expect(canonical(text, "IPv6")).toBe(shortest);
  });

  test.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "01.2.3.4",
    "1.2.3.4 ",
    "::1",
    "1..2.3",
    "a.b.c.d",
    "1.2.3.4.",
  ])("%j is no IPv4 address", (text) => expect(canonical(text, "IPv4")).toBeUndefined());

  test.each([
    "",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "g::",
    "12345::",
    "fe80::1%eth0",
    "10.0.0.1",
    "1.2.3.4::",
    "1:2:3:4:5:6:7::8",
  ])("%j is no IPv6 address", (text) => expect(canonical(text, "IPv6")).toBeUndefined());

  test("agree with Node's own parser, whatever the text", () => {
    const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-f:.]{0,20}$/));
    fc.assert(
      fc.property(text, (any) => {
        expect(canonical(any, "IPv4") !== undefined).toBe(isIPv4(any));
        expect(canonical(any, "IPv6") !== undefined).toBe(isIPv6(any));
        if (isIPv4(any)) expect(canonical(any, "IPv4")).toBe(any);
        const v6 = canonical(any, "IPv6");
        if (v6 !== undefined) expect(addressKey(v6, "IPv6")).toBe(addressKey(any, "IPv6"));
      }),
      { numRuns: 500 },
    );
  });

  test("are ordered as their bytes are", () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), (a, b) => {
        const [first, second] = [a, b].map((text) => {
          const bytes = new Uint8Array(16);
          writeAddress(bytes, 0, addressKey(text, "IPv6") ?? "");
          return bytes;
        });
        const [left = "", right = ""] = [a, b].map((text) => addressKey(text, "IPv6"));
        expect(Math.sign(Buffer.compare(first!, second!))).toBe(left < right ? -1 : left > right ? 1 : 0);
        expect(SocketAddress.parse(`[${canonical(a, "IPv6")}]:1`)?.family).toBe("ipv6");
      }),
    );
  });
});

describe("marks of Nodes", () => {
  test("keep the names of a large fleet apart", () => {
    const marks = new Set<number>();
    const names = ["ip-10-0-X-Y.eu-west-1.compute.internal", "gke-prod-pool-X-Y", "nodeXxY", "Y-worker-X"];
    for (const name of names) {
      for (let x = 0; x < 160; x++) {
        for (let y = 0; y < 160; y++) marks.add(nodeMark(name.replace("X", `${x}`).replace("Y", `${y}`)));
      }
    }
    expect(marks.size).toBe(names.length * 160 * 160);
    expect(marks.has(0)).toBe(false);
  });
});
