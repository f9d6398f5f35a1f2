import fc from "fast-check";
import { expect, test } from "vitest";
import { checkPath, checkUri } from "../../src/declare/uri.ts";

const uriLike = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => `/${text}`),
  fc.string({ unit: fc.constantFrom("/", ".", "a", "*", "%", "?", " ", "é") }).map((text) => `/${text}`),
);

test("a path without * that is accepted is what a URL's path decodes to", () => {
  fc.assert(
    fc.property(uriLike, (text) => {
      const result = checkPath(text);
      if (!result.ok) return;
      const url = new URL("http://shop.example.com");
      url.pathname = text.replaceAll("\\", "%5C");
      expect(decodeURI(url.pathname.replaceAll("%5C", "\\"))).toBe(result.uri);
    }),
    { numRuns: 2000 },
  );
});

test("what is accepted is returned as written, has no space, and has * only at its end", () => {
  fc.assert(
    fc.property(uriLike, (text) => {
      const result = checkUri(text);
      if (!result.ok) return;
      expect(result.uri).toBe(text);
      expect(text).not.toMatch(/\s|\*./u);
    }),
    { numRuns: 2000 },
  );
});

test("a path is refused its * with a reason of its own", () => {
  expect(checkPath("/a*")).toMatchObject({ ok: false, message: expect.stringContaining('"*"') });
  expect(checkUri("/a*")).toEqual({ ok: true, uri: "/a*" });
});
