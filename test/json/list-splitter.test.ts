import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonListError } from "../../src/json/json-list-error.ts";
import { ListSplitter, type ListSplitterOptions } from "../../src/json/list-splitter.ts";

const roomy = { field: "list", maxItemBytes: 1 << 20, maxBytes: 1 << 24, maxEnvelopeBytes: 1 << 20 };

interface Split {
  items: unknown[];
  envelope: Record<string, unknown>;
}

function splitBytes(bytes: Uint8Array, cuts: readonly number[], options: ListSplitterOptions = roomy): Split {
  const splitter = new ListSplitter(options);
  const items: unknown[] = [];
  const edges = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const to of edges) {
    // A copy that is wiped afterwards: the splitter must not keep the caller's chunk.
    const chunk = bytes.slice(from, to);
    items.push(...splitter.push(chunk));
    chunk.fill(0);
    from = to;
  }
  return { items, envelope: splitter.end() };
}

function split(text: string, options: ListSplitterOptions = roomy): Split {
  return splitBytes(new TextEncoder().encode(text), [], options);
}

function expected(text: string): Split | undefined {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof root !== "object" || root === null || Array.isArray(root)) return undefined;
  const { list, ...envelope } = root as Record<string, unknown>;
  return Array.isArray(list) ? { items: list, envelope } : undefined;
}

/** Values with the characters that a scanner trips over, and members that are named as the field. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({
      unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", ":", "é", "😀", "\n", "a", "\u0000"),
    }),
    fc.record({ list: tie("any") }),
    fc.array(tie("any"), { maxLength: 3 }),
  ),
})).any;

const documents = fc
  .record({
    before: fc.dictionary(fc.string({ maxLength: 4 }), value, { maxKeys: 3 }),
    list: fc.array(value, { maxLength: 6 }),
    after: fc.dictionary(fc.string({ maxLength: 4 }), value, { maxKeys: 3 }),
    indent: fc.constantFrom("", " ", "\t\r\n"),
  })
  .map(({ before, list, after, indent }) =>
    JSON.stringify({ ...before, list, ...after, total: 1 }, null, indent),
  );

const cutsOf = fc.array(fc.nat(5000), { maxLength: 12 });

/** Whether the root object names its list twice: JSON.parse tells the last value only, so each name is made its own. */
function namesTwice(text: string): boolean {
  let count = 0;
  const numbered = text.replaceAll(/"list"(?=\s*:)/g, () => `"list${count++}"`);
  try {
    const names = Object.keys(JSON.parse(numbered) as object);
    return names.filter((name) => /^list\d+$/.test(name)).length > 1;
  } catch {
    return false;
  }
}

describe("ListSplitter", () => {
  it("gives what JSON.parse gives, whatever the chunks", () => {
    fc.assert(
      fc.property(documents, cutsOf, (text, cuts) => {
        expect(splitBytes(new TextEncoder().encode(text), cuts)).toEqual(expected(text));
      }),
      { numRuns: 300 },
    );
  });

  it("gives the same at every single chunk boundary", () => {
    const text = '{"a":"\\"[\\\\","list":[ {"b":"é😀\\"]"} , [1,[2]],"x\\\\", 3 ],"li\\u0073":{"list":[0]}}';
    const bytes = new TextEncoder().encode(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(splitBytes(bytes, [cut])).toEqual(expected(text));
    }
    expect(splitBytes(bytes, [...bytes.keys()])).toEqual(expected(text));
  });

  it("refuses a damaged document exactly when JSON.parse or the shape refuses it", () => {
    const damage = fc.record({
      at: fc.nat(5000),
      remove: fc.nat(2),
      insert: fc.constantFrom(
        "",
        "",
        ",",
        "]",
        "[",
        "}",
        "{",
        '"',
        "\\",
        ":",
        " ",
        "0",
        "\u0001",
        "é",
        "list",
      ),
    });
    let refused = 0;
    fc.assert(
      fc.property(documents, damage, cutsOf, (text, { at, remove, insert }, cuts) => {
        const from = at % (text.length + 1);
        const damaged = (text.slice(0, from) + insert + text.slice(from + remove)).toWellFormed();
        const want = expected(damaged);
        const bytes = new TextEncoder().encode(damaged);
        // Of two fields of that name JSON.parse takes the last; what the splitter makes of them is nobody's promise.
        fc.pre(!namesTwice(damaged));
        if (want === undefined) {
          refused++;
          expect(() => splitBytes(bytes, cuts)).toThrow(JsonListError);
        } else {
          expect(splitBytes(bytes, cuts)).toEqual(want);
        }
      }),
      { numRuns: 1000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it("refuses every proper prefix", () => {
    const text = '{"total":2,"list":[{"a":[1]},"b"],"more":{"list":[]}}';
    for (let end = 0; end < text.length; end++) {
      expect(() => split(text.slice(0, end))).toThrow(JsonListError);
    }
  });

  it.each([
    ["trailing garbage", '{"list":[]} x'],
    ["a second document", '{"list":[]}{"list":[]}'],
    ["a trailing comma in the list", '{"list":[1,]}'],
    ["a leading comma in the list", '{"list":[,1]}'],
    ["a lone comma in the list", '{"list":[,]}'],
    ["a trailing comma in the envelope", '{"list":[1],}'],
    ["no comma between items", '{"list":[1 2]}'],
    ["a list closed by a brace", '{"list":[1}}'],
    ["brackets that do not match in an item", '{"list":[{]}]}'],
    ["a byte order mark", '\uFEFF{"list":[]}'],
    ["a byte order mark in the list", '{"list":[\uFEFF1]}'],
    ["whitespace that JSON does not know", '{"list":[\u00A01]}'],
    ["no colon after the field", '{"list" [1]}'],
    ["a value before the list", '{"list": 5 [1]}'],
    ["nothing", ""],
  ])("refuses %s as syntax", (_, text) => {
    expect(() => split(text)).toThrow(JsonListError);
  });

  it.each([
    ["a root array", '[{"list":[]}]'],
    ["a root string", '"list"'],
    ["no field", '{"lists":[]}'],
    ["the field only deeper", '{"a":{"list":[1]}}'],
    ["an object for the list", '{"list":{}}'],
    ["null for the list", '{"list":null}'],
    ["the list twice", '{"list":[1],"list":[2]}'],
    ["the list, then another value of that name", '{"list":[1],"list":2}'],
  ])("refuses %s as shape", (_, text) => {
    expect(() => split(text)).toThrow(expect.objectContaining({ fault: "shape" }));
  });

  it("finds a field whose name is written with escapes", () => {
    expect(split('{"l\\u0069st":[1]}')).toEqual({ items: [1], envelope: {} });
  });

  it("takes an empty object for an empty list only where told", () => {
    const options = { ...roomy, emptyObjectIsList: true };
    expect(split('{"list":{},"total":7}', options)).toEqual({ items: [], envelope: { total: 7 } });
    expect(() => split('{"list":{"a":1}}', options)).toThrow(JsonListError);
  });

  it("keeps a member that is named __proto__ as data", () => {
    const { envelope } = split('{"__proto__":{"a":1},"list":[]}');
    expect(Object.keys(envelope)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(envelope)).toBe(Object.prototype);
  });

  it("refuses bytes that are not UTF-8", () => {
    const bytes = new TextEncoder().encode('{"list":["a"]}');
    bytes[10] = 0xff;
    expect(() => splitBytes(bytes, [])).toThrow(JsonListError);
  });

  it.each([
    ["an item", '{"list":["0123456789"]}', { ...roomy, maxItemBytes: 11 }, { ...roomy, maxItemBytes: 12 }],
    ["the document", '{"list":[1,2]}', { ...roomy, maxBytes: 13 }, { ...roomy, maxBytes: 14 }],
    [
      "the envelope",
      '{"list":[1,2]}',
      { ...roomy, maxEnvelopeBytes: 10 },
      { ...roomy, maxEnvelopeBytes: 11 },
    ],
  ])("refuses %s over its limit and takes it at its limit", (_, text, tight, enough) => {
    const bytes = new TextEncoder().encode(text);
    for (const cuts of [[], [...bytes.keys()]]) {
      expect(() => splitBytes(bytes, cuts, tight)).toThrow(expect.objectContaining({ fault: "limit" }));
      expect(splitBytes(bytes, cuts, enough)).toEqual(expected(text));
    }
  });

  it("goes on refusing after a fault, and says nothing of the text", () => {
    const splitter = new ListSplitter(roomy);
    const bad = new TextEncoder().encode('{"list":[secret]');
    expect(() => splitter.push(bad)).toThrow(JsonListError);
    expect(() => splitter.push(new TextEncoder().encode("}"))).toThrow(/^not JSON$/);
    expect(() => splitter.end()).toThrow(/^not JSON$/);
  });
});
