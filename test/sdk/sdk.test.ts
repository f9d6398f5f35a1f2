import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { parseRoutes } from "../../src/declare/parse.ts";
import type { Problem } from "../../src/declare/problem.ts";
import type { FieldName } from "../../src/declare/read-declaration.ts";
import * as sdk from "../../src/sdk/sdk.ts";
import type { RouteInput } from "../../src/sdk/sdk.ts";
import { declarations, printDeclaration } from "../declare/declarations.ts";
import { fieldTable } from "../declare/field-table.ts";
import { grammarTable } from "../declare/grammar-table.ts";

const { podMetadata, validateRoutes } = sdk;
const enabled = "apisix-translator.io/enabled";
const routes = "apisix-translator.io/routes";
const web = { name: "web", port: 8080, host: "Shop.example.com" } as const;

/** As a program without types would call it. */
const unchecked = podMetadata as (
  declarations: unknown,
  metadata?: unknown,
) => ReturnType<typeof podMetadata>;

function problemsOf(run: () => unknown): readonly Problem[] {
  try {
    run();
  } catch (error) {
    if (error instanceof Error && "problems" in error) return error.problems as readonly Problem[];
    throw error;
  }
  return [];
}

const rows = [...grammarTable, ...fieldTable].flatMap(({ title, annotation, textOnly, kind }) => {
  try {
    return textOnly ? [] : [{ title, kind, annotation, value: JSON.parse(annotation) as unknown }];
  } catch {
    return [];
  }
});

test("it gives these two and nothing else", () => {
  expect(Object.keys(sdk).toSorted()).toEqual(["podMetadata", "validateRoutes"]);
});

describe("what the translator refuses the SDK refuses, and the other way round", () => {
  test.each(rows)("$title", ({ kind, annotation, value }) => {
    const parsed = parseRoutes(annotation, kind);
    const expected = parsed.readable
      ? parsed.entries.flatMap((entry) => (entry.ok ? [] : entry.problems))
      : [{}];
    const judged = validateRoutes(value, kind);
    expect(judged.ok ? [] : judged.problems).toMatchObject(expected);
    if (kind === "service") return;
    expect(problemsOf(() => unchecked(value))).toMatchObject(expected);
  });
});

describe("podMetadata", () => {
  test("gives label and annotation, the declarations as they were given", () => {
    expect(podMetadata([web])).toEqual({
      labels: { [enabled]: "true" },
      annotations: { [routes]: '[{"name":"web","port":8080,"host":"Shop.example.com"}]' },
    });
  });

  test("takes a single declaration, and none", () => {
    expect(podMetadata(web)).toEqual(podMetadata([web]));
    expect(podMetadata([]).annotations).toEqual({ [routes]: "[]" });
  });

  test("merges into metadata without changing it", () => {
    const given = {
      name: "web",
      labels: { app: "web", [enabled]: "false" },
      annotations: { a: "b", [routes]: "?" },
    };
    const before = structuredClone(given);
    const merged = podMetadata(web, given);
    expect(merged).toEqual({
      name: "web",
      labels: { app: "web", [enabled]: "true" },
      annotations: { a: "b", [routes]: podMetadata(web).annotations[routes] },
    });
    expect(merged.name).toBe("web");
    expect(given).toEqual(before);
    expect(podMetadata(web, {})).toEqual(podMetadata(web));
    expect(unchecked(web, { labels: null })).toEqual(podMetadata(web));
    expect(unchecked(web, null)).toEqual(podMetadata(web));
  });

  test("throws one error with every problem", () => {
    const bad = [
      { ...web, port: 0, retries: 99 },
      { name: "b", port: "UPPER" },
    ];
    expect(problemsOf(() => podMetadata(bad)).map(({ route, field }) => [route, field])).toEqual([
      ["web", "port"],
      ["web", "retries"],
      ["b", "port"],
    ]);
    expect(() => podMetadata(bad)).toThrow(
      /^web: port is 0: .+\nweb: retries is 99: .+\nb: port is "UPPER": /,
    );
    expect(problemsOf(() => unchecked(web, { labels: [1], annotations: "x" }))).toMatchObject([
      { field: "metadata.labels", value: [1] },
      { field: "metadata.annotations", value: "x" },
    ]);
    expect(problemsOf(() => unchecked(undefined))).toMatchObject([{ field: routes }]);
    expect(problemsOf(() => podMetadata({ ...web, via: "nodePort" }))).toMatchObject([{ field: "via" }]);
  });

  test("writes what it judged, though a getter answers otherwise the second time", () => {
    let asked = 0;
    const shifty = {
      name: "web",
      get port() {
        return asked++ === 0 ? 80 : 0;
      },
    };
    expect(podMetadata(shifty).annotations[routes]).toBe('[{"name":"web","port":80}]');
  });

  test("what it writes the translator reads as the same declarations", () => {
    fc.assert(
      fc.property(declarations, (some) => {
        const written = some.map((one) => ({ ...printDeclaration(one), via: undefined }));
        const text = unchecked(written).annotations[routes] ?? "";
        const expected = some.map((one) => ({ ok: true, declaration: { ...one, via: "endpoint" } }));
        expect(parseRoutes(text, "pod")).toEqual({ readable: true, entries: expected });
        expect(text).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
      }),
    );
  });
});

test("the type of a declaration has every field", () => {
  expectTypeOf<keyof RouteInput>().toEqualTypeOf<FieldName>();
});
