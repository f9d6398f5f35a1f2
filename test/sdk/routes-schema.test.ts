import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalizeHost } from "../../src/declare/host.ts";
import { validateRoutes } from "../../src/declare/parse.ts";
import { fieldNames } from "../../src/declare/read-declaration.ts";
import { schemaText } from "../../src/sdk/schema-text.ts";
import { checkPath, checkUri } from "../../src/declare/uri.ts";
import { declarations, printDeclaration } from "../declare/declarations.ts";
import { fieldTable } from "../declare/field-table.ts";
import { grammarTable } from "../declare/grammar-table.ts";
import { isValid } from "./json-schema.ts";

const published: unknown = JSON.parse(
  readFileSync(new URL("../../src/sdk/routes.schema.json", import.meta.url), "utf8"),
);
const schema = published as Readonly<Record<string, unknown>>;

/** What PRODUCT.md refuses and JSON Schema has no words for. */
const unsayable = new Set([
  "over 1,000 pairs",
  "the same pair in two entries: the later is Invalid",
  "the same pair, spelled otherwise",
  "the same pair by the default uri",
  "methods do not split a pair",
  "the same name again: each later entry is Invalid",
  "the same host twice in one entry",
  "uri: an unpaired surrogate",
  "a number that is not finite in a plugin",
  "plugins: a whole number that APISIX would round",
  "plugins: a fraction that APISIX would make another whole number",
]);

/** How many digits a plugin's number has is unsayable too. */
const ofFewDigits = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    typeof inner === "number" ? Number(inner.toPrecision(14)) : inner,
  );

test("the published schema is current (npm run schema)", () => {
  expect(published).toEqual(JSON.parse(schemaText()));
});

test("it knows every field", () => {
  expect(published).toHaveProperty("$defs.route.properties");
  const { $defs } = published as { $defs: { route: { properties: object } } };
  expect(Object.keys($defs.route.properties)).toEqual([...fieldNames]);
});

const parsed = [...grammarTable, ...fieldTable].flatMap(({ title, annotation, textOnly }) => {
  try {
    return textOnly ? [] : [{ title, value: JSON.parse(annotation) as unknown }];
  } catch {
    return [];
  }
});

describe("judges as validateRoutes does", () => {
  test.each(parsed)("$title", ({ title, value }) => {
    const { ok } = validateRoutes(value);
    expect(isValid(schema, value)).toBe(ok || unsayable.has(title));
  });

  test("generated declarations are valid, and what is broken in one field is judged alike", () => {
    const broken = fc.record({
      field: fc.constantFrom(...fieldNames),
      value: fc.oneof(
        fc.constantFrom(null, true, 0, -1, 1.5, 65_536, "", "x", "/a", [], ["GET", "GET"], {}),
        fc.constantFrom(
          { uri: "/a" },
          { path: "/" },
          { chash: { hashOn: "vars" } },
          { cors: 1 },
          ["a.x"],
          ["/"],
        ),
        fc.jsonValue().map(ofFewDigits),
      ),
    });
    fc.assert(
      fc.property(declarations, fc.option(broken, { nil: undefined }), (some, change) => {
        const routes = some.map((one) => {
          const { hosts, uris, ...rest } = printDeclaration(one);
          return JSON.parse(JSON.stringify({ ...rest, hosts, uris })) as Record<string, unknown>;
        });
        if (routes[0] !== undefined && change !== undefined) routes[0][change.field] = change.value;
        const names = new Set(routes.map(({ name }) => name));
        fc.pre(names.size === routes.length);
        expect(isValid(schema, routes)).toBe(validateRoutes(routes).ok);
      }),
      { numRuns: 400 },
    );
  });

  const tricky = fc.string({
    unit: fc.constantFrom(...'aZ0-_.*:/?#%[]{}"é\u00a0\n\t \u007f\u0085\u2028'),
    maxLength: 8,
  });
  const plain = fc.string({ unit: fc.constantFrom(..."aB0-.*"), maxLength: 8 });
  const path = fc.string({ unit: fc.constantFrom(..."//a..*"), maxLength: 8 });
  const route = (fields: object): object => ({ name: "a", port: 1, ...fields });

  test("hosts, but for IPv6 addresses", () => {
    fc.assert(
      fc.property(fc.oneof(tricky, plain, fc.domain(), fc.stringMatching(/^[a-z.]{60,70}$/)), (host) => {
        fc.pre(!host.includes(":"));
        expect(isValid(schema, route({ host }))).toBe(normalizeHost(host).ok);
      }),
      { numRuns: 2000 },
    );
    fc.assert(fc.property(fc.ipV6(), (host) => isValid(schema, route({ host }))));
  });

  test("uris and paths", () => {
    fc.assert(
      fc.property(fc.oneof(tricky, path), fc.boolean(), (rest, rooted) => {
        const uri = rooted ? `/${rest}` : rest;
        expect(isValid(schema, route({ uri }))).toBe(checkUri(uri).ok);
        expect(isValid(schema, route({ rewrite: { uri } }))).toBe(checkPath(uri).ok);
      }),
      { numRuns: 2000 },
    );
  });
});
