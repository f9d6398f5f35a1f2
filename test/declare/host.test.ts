import fc from "fast-check";
import { expect, test } from "vitest";
import { normalizeHost } from "../../src/declare/host.ts";

const hostLike = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.domain(),
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV6().map((address) => `[${address.toUpperCase()}]`),
  fc.string({ unit: fc.constantFrom("a", "B", ".", "*", "-", ":", "[", "]", "1", "_", " ", "\u212a", "ü") }),
);

test("normalising a host again changes nothing", () => {
  fc.assert(
    fc.property(hostLike, (text) => {
      const once = normalizeHost(text);
      if (once.ok) expect(normalizeHost(once.host)).toEqual(once);
    }),
    { numRuns: 2000 },
  );
});

test("a host that is accepted holds no character that a request's host cannot hold", () => {
  fc.assert(
    fc.property(hostLike, (text) => {
      const result = normalizeHost(text);
      if (result.ok) expect(result.host).toMatch(/^((\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/);
      else expect(result.message).toContain("allowed is");
    }),
    { numRuns: 2000 },
  );
});

test("every domain name and address is accepted, in whatever case and with a trailing dot", () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.ipV4()), (host) => {
      expect(normalizeHost(`${host.toUpperCase()}.`)).toEqual({ ok: true, host: host.toLowerCase() });
    }),
  );
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      expect(normalizeHost(address)).toMatchObject({ ok: true });
    }),
  );
});

test("spellings of one IPv6 address are one host", () => {
  for (const text of ["::1", "[::1]", "0:0:0:0:0:0:0:1", "[0000::0001]"]) {
    expect(normalizeHost(text)).toEqual({ ok: true, host: "[::1]" });
  }
});

test("the xn-- form is not made up where a name holds what would end a host in a URL", () => {
  for (const text of ["bücher.de/x", "bücher.de?x", "me@bücher.de", "bücher.de:80", "bü\tcher.de"]) {
    expect(normalizeHost(text)).toMatchObject({
      ok: false,
      message: expect.stringContaining("no ASCII form"),
    });
  }
});
