import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText, contentDigest, digestOf, sealed } from "../../src/apisix/canonical.ts";
import { isJsonArray } from "../../src/apisix/json-object.ts";
import type { Json, JsonObject } from "../../src/apisix/types.ts";
import { compareBytewise } from "../../src/declare/byte-order.ts";
import { jsonValues, keys, shuffled, shuffledList } from "./shuffled.ts";

const nodes = fc.array(
  fc.record(
    {
      host: fc.constantFrom("10.0.0.1", "10.0.0.2", "[::1]", "a.test"),
      port: fc.constantFrom(80, 443, 8080),
      weight: fc.nat(3),
      metadata: fc.record({ cluster: fc.constantFrom("a", "b"), name: fc.constantFrom("x", "y") }),
    },
    { requiredKeys: ["host", "port", "weight"] },
  ),
  { maxLength: 8 },
);
const labels = fc.dictionary(fc.stringMatching(/^[a-z/.-]{1,8}$/), fc.stringMatching(/^\S{1,8}$/), {
  minKeys: 1,
  maxKeys: 4,
});
const bodies: fc.Arbitrary<JsonObject> = fc
  .record({ rest: fc.dictionary(keys(), jsonValues, { maxKeys: 5 }), nodes, labels })
  .map(({ rest, ...body }) => {
    const { id: _, create_time: __, update_time: ___, ...kept } = rest;
    return { ...kept, ...body };
  });

/** As the Admin API answers: other key order, other node order, its own fields added. */
function readBack(text: string, seed: number): JsonObject {
  const stored = JSON.parse(text) as Record<string, Json>;
  const list = stored["nodes"];
  if (isJsonArray(list)) stored["nodes"] = shuffledList(list, seed);
  return shuffled({ ...stored, id: "t-1", create_time: 1, update_time: 2 }, seed) as JsonObject;
}

function expectSorted(value: unknown): void {
  if (typeof value !== "string") return;
  // A reviver sees keys in JavaScript's order; the text itself is scanned for the keys of flat objects.
  for (const flat of value.match(/\{(?:"(?:[^"\\]|\\.)*":[^{}[\]",]*,?)+\}/g) ?? []) {
    const found = [...flat.matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(
      (match) => JSON.parse(`"${match[1]}"`) as string,
    );
    expect(found).toEqual(found.toSorted(compareBytewise));
  }
}

describe("canonicalText", () => {
  it("is the same JSON, and the same text whatever the order of keys and nodes", () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, seed) => {
        const text = canonicalText(body);
        const list = body["nodes"] as Json[];
        const other: JsonObject = { ...body, nodes: shuffledList<Json>(list, seed) };
        expect(canonicalText(shuffled(other, seed) as JsonObject)).toBe(text);
        const { nodes: parsedNodes, ...parsed } = JSON.parse(text) as Record<string, unknown>;
        const { nodes: _, ...rest } = body;
        expect(parsed).toEqual(JSON.parse(JSON.stringify(rest)));
        expect(parsedNodes).toHaveLength(list.length);
        expect(parsedNodes).toEqual(expect.arrayContaining<unknown>([...list]));
        expectSorted(text);
      }),
    );
  });

  it("writes keys in bytewise order, also those that JavaScript puts first", () => {
    const body: JsonObject = { b: { "9": 1, "10": 2, a: 3 }, a: [{ "\uE000": 1, "😀": 2, Z: 3 }] };
    expect(canonicalText(body)).toBe('{"a":[{"Z":3,"\uE000":1,"😀":2}],"b":{"10":2,"9":1,"a":3}}');
  });

  it("keeps a key that is named __proto__", () => {
    const body = JSON.parse('{"z":1,"plugins":{"z":1,"__proto__":{"b":1,"a":2}}}') as JsonObject;
    expect(canonicalText(body)).toBe('{"plugins":{"__proto__":{"a":2,"b":1},"z":1},"z":1}');
  });

  it("sorts an upstream's nodes by host, port, then the rest, and no other list", () => {
    const node = (host: string, port: number, name: string): JsonObject => ({
      host,
      port,
      weight: 1,
      metadata: { cluster: "a", name },
    });
    const body: JsonObject = {
      nodes: [node("b", 1, "x"), node("a", 10, "x"), node("a", 9, "y"), node("a", 9, "x")],
      plugins: { p: { nodes: [2, 1] } },
    };
    const parsed = JSON.parse(canonicalText(body)) as Record<string, unknown>;
    expect(parsed["nodes"]).toEqual([
      node("a", 9, "x"),
      node("a", 9, "y"),
      node("a", 10, "x"),
      node("b", 1, "x"),
    ]);
    expect(parsed["plugins"]).toEqual({ p: { nodes: [2, 1] } });
  });

  it("takes nodes that are a map, empty, or no nodes at all", () => {
    expect(canonicalText({ nodes: { "b:1": 1, "a:1": 2 } })).toBe('{"nodes":{"a:1":2,"b:1":1}}');
    expect(canonicalText({ nodes: {} })).toBe('{"nodes":{}}');
    expect(canonicalText({ nodes: [] })).toBe('{"nodes":[]}');
    expect(canonicalText({ nodes: ["x", null, 3] })).toBe('{"nodes":["x",3,null]}');
  });

  it("refuses what is nested deeper than Lua's cjson reads", () => {
    const deep = JSON.parse(`{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`) as JsonObject;
    expect(() => canonicalText(deep)).toThrow(expect.objectContaining({ code: "ADMIN_PROTOCOL" }));
  });
});

describe("sealed", () => {
  it("is the canonical text with the label of its digest in its place", () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const { text, digest } = sealed(body);
        expect(digest).toBe(digestOf(canonicalText(body)));
        const withLabel = {
          ...body,
          labels: { ...(body["labels"] as JsonObject), "translator/digest": digest },
        };
        expect(text).toBe(canonicalText(withLabel));
      }),
    );
  });

  it("hashes with the first 32 digits of SHA-256", () => {
    const text = '{"labels":{"a":"b"},"uri":"/"}';
    const expected = createHash("sha256").update(text).digest("hex").slice(0, 32);
    expect(sealed({ uri: "/", labels: { a: "b" } })).toEqual({
      text: `{"labels":{"a":"b","translator/digest":"${expected}"},"uri":"/"}`,
      digest: expected,
    });
  });
});

describe("contentDigest", () => {
  it("of what is read back is the digest of what was written", () => {
    fc.assert(
      fc.property(bodies, fc.nat(), (body, seed) => {
        const { text, digest } = sealed(body);
        expect(contentDigest(readBack(text, seed))).toBe(digest);
      }),
    );
  });

  it("differs as soon as anything but server fields, digest label and order differs", () => {
    fc.assert(
      fc.property(bodies, fc.nat(), keys(), jsonValues, (body, seed, key, value) => {
        const { text, digest } = sealed(body);
        const found = { ...readBack(text, seed), [key]: value };
        const same = canonicalText({ ...body, [key]: value }) === canonicalText(body);
        fc.pre(key !== "id" && key !== "labels" && key !== "__proto__" && !same);
        expect(contentDigest(found)).not.toBe(digest);
      }),
    );
  });

  it("takes an edited or missing digest label for no edit", () => {
    const { text, digest } = sealed({ uri: "/", labels: { a: "b" } });
    const found = JSON.parse(text) as JsonObject;
    expect(contentDigest({ ...found, labels: { a: "b", "translator/digest": "x" } })).toBe(digest);
    expect(contentDigest({ ...found, labels: { a: "b" } })).toBe(digest);
    expect(contentDigest({ ...found, labels: {} })).not.toBe(digest);
  });
});
