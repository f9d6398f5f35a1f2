import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adminUrl, listenAddress } from "../../src/config/network-rules.ts";
import { duration, integer, number, size } from "../../src/config/rules.ts";
import { refused } from "../../src/config/shape.ts";

const day = 86_400_000;

describe("duration", () => {
  const rule = duration(0);

  it("reads a number with its unit as whole milliseconds, or refuses it", () => {
    const units = fc.constantFrom(
      ["ms", 1] as const,
      ["s", 1000] as const,
      ["m", 60_000] as const,
      ["h", 3_600_000] as const,
    );
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999 }), units, (count, [unit, factor]) => {
        const expected = count * factor <= day ? count * factor : refused;
        expect(rule.parse(`${count}${unit}`, false)).toBe(expected);
      }),
    );
  });

  it("reads thousandths of a second exactly", () => {
    fc.assert(
      fc.property(fc.nat({ max: 9999 }), (ms) => {
        expect(rule.parse(`${(ms / 1000).toFixed(3)}s`, false)).toBe(ms);
      }),
    );
  });

  it.each([
    "",
    "5",
    "s",
    "5S",
    "5 s",
    " 5s",
    "5s ",
    "1m30s",
    "1e3s",
    "٣s",
    "+5s",
    ".5s",
    "5.s",
    "1d",
    "5ms\n",
  ])("refuses %j", (text) => {
    expect(rule.parse(text, false)).toBe(refused);
  });
});

describe("numbers", () => {
  it.each(["", " ", "0x10", "1e3", "+1", "-0", "1,5", "Infinity", "NaN", "1_000", "٣"])(
    "are not %j on the command line",
    (text) => {
      expect(integer(0, 1000).parse(text, true)).toBe(refused);
      expect(number(0, 1000).parse(text, true)).toBe(refused);
    },
  );

  it.each(["1.5GiB", "-1GiB", "1 GiB", "GiB", "1gib", "99999999999999GiB"])("are not sizes as %j", (text) => {
    expect(size(0, 2 ** 40, "").parse(text, false)).toBe(refused);
  });
});

describe("adminUrl", () => {
  it.each([
    ["http://apisix-admin:9180", "http://apisix-admin:9180"],
    ["HTTPS://Admin.Example:443/", "https://admin.example"],
    ["http://[::1]:9180", "http://[::1]:9180"],
    ["http://10.0.0.1", "http://10.0.0.1"],
  ])("takes %s as %s", (text, origin) => {
    expect(adminUrl.parse(text, false)).toBe(origin);
  });

  it.each([
    "",
    "http://",
    "http:///",
    "//a",
    "http:/a",
    "http://a b",
    "http://a\\b",
    "http://a:0",
    "http://a/\n",
    "http://:1",
    "http://a/?",
    "http://a/#",
  ])("refuses %j", (text) => {
    expect(adminUrl.parse(text, false)).toBe(refused);
  });
});

describe("listenAddress", () => {
  it("reads back every host and port that it accepts", () => {
    const host = fc.oneof(fc.ipV4(), fc.domain(), fc.constant("localhost"));
    fc.assert(
      fc.property(host, fc.nat({ max: 65_535 }), (name, port) => {
        expect(listenAddress.parse(`${name}:${port}`, false)).toEqual({ host: name, port });
      }),
    );
  });

  it.each([
    "",
    ":",
    "a:",
    "a",
    "a:b",
    "a:1:2",
    "a b:1",
    "[::1]",
    "::1:80",
    "[1.2.3.4]:80",
    "a:-1",
    "a:65536",
    "_a:1",
  ])("refuses %j", (text) => {
    expect(listenAddress.parse(text, false)).toBe(refused);
  });
});
