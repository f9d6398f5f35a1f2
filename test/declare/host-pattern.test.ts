import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admits, matchesGlob, parseHostPattern } from "../../src/declare/host-pattern.ts";

const allows = (pattern: string, host: string): boolean => admits(parseHostPattern(pattern)!, host);

describe("a host pattern", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      "shop.example.com",
      ["shop.example.com"],
      ["a.shop.example.com", "shop.example.co", "*.shop.example.com"],
    ],
    [
      "*.example.com",
      ["a.example.com", "team-a.example.com"],
      ["example.com", "a.b.example.com", "*.example.com", "a.example.org"],
    ],
    [
      "team-*.example.com",
      ["team-a.example.com"],
      ["team.example.com", "xteam-a.example.com", "team-a.b.example.com"],
    ],
    ["a*b*c.x", ["abc.x", "a1b2c.x", "abbcc.x"], ["acb.x", "ab.x", "abc.y"]],
    ["**.x", ["a.x", "a.b.x", "*.x", "*.a.x"], ["x", "ax", "a.y", "*.y", "*.ax"]],
    ["**.a*.x", ["b.ab.x", "c.b.a.x", "*.a1.x", "*.b.a1.x"], ["a.x", "b.x", "*.x", "*.b.x"]],
    ["**.*", ["a.b", "10.0.0.1", "*.com"], ["localhost", "[::1]"]],
    ["*", ["localhost"], ["a.b", "[::1]", "*.com"]],
    ["2001:db8:0::1", ["[2001:db8::1]"], ["[2001:db8::2]", "2001"]],
    ["10.0.0.*", ["10.0.0.7"], ["10.0.1.7"]],
  ])("%s", (pattern, allowed, refused) => {
    expect(allowed.filter((host) => !allows(pattern, host))).toEqual([]);
    expect(refused.filter((host) => allows(pattern, host))).toEqual([]);
  });

  it.each([
    "",
    ".",
    "a..b",
    "**",
    "**.",
    "a.**.b",
    "x**.y",
    "A.b",
    "a b",
    "*a**b.c",
    `${"a".repeat(64)}.b`,
    "a:b",
  ])("%j is none", (text) => {
    expect(parseHostPattern(text)).toBeUndefined();
  });

  const labels = fc.array(fc.stringMatching(/^[ab]{1,2}$/), { minLength: 1, maxLength: 4 });
  const globs = fc.array(fc.stringMatching(/^\*?[ab]\*?[ab]?$/), { minLength: 1, maxLength: 3 });

  it("that allows a wildcard allows everything that the wildcard answers, at any depth", () => {
    fc.assert(
      fc.property(globs, fc.boolean(), labels, labels, (glob, deep, host, below) => {
        const pattern = `${deep ? "**." : ""}${glob.join(".")}`;
        fc.pre(allows(pattern, `*.${host.join(".")}`));
        expect(allows(pattern, [...below, ...host].join("."))).toBe(true);
      }),
    );
  });

  it("for one depth means what a naive reading of it means", () => {
    fc.assert(
      fc.property(globs, labels, (glob, host) => {
        const naive = glob.length === host.length && glob.every((each, at) => naively(each, host[at] ?? ""));
        expect(allows(glob.join("."), host.join("."))).toBe(naive);
      }),
    );
  });
});

it("a glob matches what a naive reading of it matches", () => {
  const glob = fc.stringMatching(/^[ab*]{0,6}$/);
  fc.assert(
    fc.property(glob, fc.stringMatching(/^[ab]{0,7}$/), (pattern, text) => {
      expect(matchesGlob(pattern, text)).toBe(naively(pattern, text));
    }),
  );
});

function naively(glob: string, text: string): boolean {
  if (glob === "") return text === "";
  if (!glob.startsWith("*")) return text.startsWith(glob.charAt(0)) && naively(glob.slice(1), text.slice(1));
  return naively(glob.slice(1), text) || (text !== "" && naively(glob, text.slice(1)));
}
