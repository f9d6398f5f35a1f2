import fc from "fast-check";
import { expect, test } from "vitest";
import type { Declaration, SourceKind } from "../../src/declare/declaration.ts";
import { routesAnnotation } from "../../src/declare/names.ts";
import { parseRoutes } from "../../src/declare/parse.ts";
import { declarations, printDeclaration } from "./declarations.ts";
import { grammarTable } from "./grammar-table.ts";

const kind = fc.constantFrom<SourceKind>("pod", "service");

function check(text: string, source: SourceKind): void {
  const parsed = parseRoutes(text, source);
  if (!parsed.readable) {
    expect(parsed.problem.message).toContain(routesAnnotation);
    return;
  }
  for (const [index, entry] of parsed.entries.entries()) {
    if (entry.ok) continue;
    expect(entry.index).toBe(index);
    expect(entry.problems.length).toBeGreaterThan(0);
    for (const problem of entry.problems) {
      expect(problem.field).not.toBe("");
      expect(problem.message.startsWith(problem.field)).toBe(true);
      expect(Buffer.byteLength(problem.message)).toBeLessThan(1024);
      expect(problem.route).toBe(entry.name);
    }
  }
}

test("any text is read or refused with a problem that names its field", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), kind, check));
  fc.assert(fc.property(fc.json(), kind, check), { numRuns: 500 });
});

test("any JSON in any field is read or refused with a problem that names its field", () => {
  const names = ["name", "port", "host", "hosts", "uri", "uris", "methods", "priority", "rewrite", "plugins"];
  const more = [
    "timeout",
    "passHost",
    "loadBalancer",
    "healthCheck",
    "share",
    "via",
    "protocol",
    "__proto__",
  ];
  const wrong = fc.dictionary(fc.constantFrom(...names, ...more), fc.jsonValue({ maxDepth: 3 }));
  const entries = fc.array(wrong.map((fields) => `{"name": "a", ${JSON.stringify(fields).slice(1)}`));
  const plain = fc.array(wrong).map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(
      fc.oneof(
        entries.map((all) => `[${all.join()}]`),
        plain,
      ),
      kind,
      check,
    ),
    { numRuns: 300 },
  );
});

test("an annotation that is cut or altered anywhere is read or refused", () => {
  const rows = grammarTable.filter((row) => row.annotation.length < 2000);
  fc.assert(
    fc.property(
      fc.constantFrom(...rows),
      fc.nat(),
      fc.string({ maxLength: 2 }),
      ({ annotation }, at, text) => {
        const cut = at % (annotation.length + 1);
        check(annotation.slice(0, cut), "pod");
        check(annotation.slice(0, cut) + text + annotation.slice(cut + 1), "service");
      },
    ),
    { numRuns: 1000 },
  );
});

test("a valid declaration, printed and parsed, is the same", () => {
  fc.assert(
    fc.property(kind, declarations, (source, all) => {
      const written = source === "pod" ? all.map((one): Declaration => ({ ...one, via: "endpoint" })) : all;
      const text = JSON.stringify(written.map(printDeclaration));
      const expected = written.map((one) =>
        source === "service" && one.share === "cluster" ? { ...one, share: "none" } : one,
      );
      expect(parseRoutes(text, source)).toEqual({
        readable: true,
        entries: expected.map((declaration) => ({ ok: true, declaration })),
      });
    }),
    { numRuns: 300 },
  );
});

test("order and spelling of what is written mean nothing", () => {
  const a = `{"name": "a", "port": 1, "hosts": ["b.x", "a.x"], "methods": ["PUT", "GET"], "uris": ["/b", "/a"],
    "plugins": {"y": {"b": [{"d": -0, "c": 1}], "a": 1}, "x": {}}}`;
  const b = `{"plugins": {"x": {}, "y": {"a": 1.0, "b": [{"c": 1e0, "d": 0}]}}, "uris": ["/a", "/b"],
    "methods": ["GET", "PUT"], "hosts": ["A.x", "b.x."], "port": 1.0, "name": "a"}`;
  expect(parseRoutes(a, "pod")).toMatchObject({ readable: true, entries: [{ ok: true }] });
  expect(JSON.stringify(parseRoutes(a, "pod"))).toBe(JSON.stringify(parseRoutes(b, "pod")));
});

test("name and share of an Invalid entry are told as far as they can be read", () => {
  const text = JSON.stringify([
    { name: "a", port: 0, share: "fleet" },
    { name: "b", port: 0 },
    { name: "c", port: 0, share: "all" },
    { name: "D", port: 1 },
    { name: "e", port: 0, share: "cluster" },
    7,
  ]);
  const parsed = parseRoutes(text, "service");
  expect(parsed.readable && parsed.entries.map((entry) => !entry.ok && [entry.name, entry.share])).toEqual([
    ["a", "fleet"],
    ["b", undefined],
    ["c", "unreadable"],
    [undefined, undefined],
    ["e", "none"],
    [undefined, "unreadable"],
  ]);
});

test("an entry that is Invalid for another reason still has its pairs: mending it never harms a sibling", () => {
  const entries = [
    { name: "a", port: 0, host: "a.x", uri: "/" },
    { name: "b", port: 1, host: "a.x", uri: "/" },
  ];
  const parsed = parseRoutes(JSON.stringify(entries), "pod");
  expect(parsed.readable && parsed.entries.map((entry) => entry.ok)).toEqual([false, false]);
});

test("an entry full of unknown fields gives few problems", () => {
  const fields = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`x${i}`, i]));
  const parsed = parseRoutes(JSON.stringify(fields), "pod");
  const [entry] = parsed.readable ? parsed.entries : [];
  expect(entry?.ok === false && entry.problems.length).toBe(20);
});

test("no prototype is changed by what a user writes", () => {
  const text =
    '[{"name": "a", "port": 1, "__proto__": {"polluted": 1}, "plugins": {"x": {"__proto__": {"polluted": 1}}}}]';
  const parsed = parseRoutes(text, "pod");
  expect(parsed).toMatchObject({ readable: true, entries: [{ ok: false }] });
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("a field that is nearly one of ours is answered with that one, and not with all of them", () => {
  const parsed = parseRoutes('[{"name": "web", "port": 80, "hots": "a.example.com"}]', "pod");
  expect(parsed).toMatchObject({
    entries: [
      { problems: [{ message: 'hots is "a.example.com": the field is not known; did you mean hosts?' }] },
    ],
  });
});
