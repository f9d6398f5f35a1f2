import fc from "fast-check";
import { expect, test } from "vitest";
import { fillTemplate, parseTemplate } from "../../src/declare/template.ts";
import type { HostTemplate } from "../../src/declare/template.ts";

const identity = { route: "web", namespace: "shop", cluster: "east-1", name: "web-0" };

function template(text: string): HostTemplate {
  const result = parseTemplate(text);
  if (!result.ok) expect.fail(result.message);
  return result.template;
}

test("placeholders are filled and the result is normalised", () => {
  expect(fillTemplate(template("{route}-{name}.{namespace}.{cluster}.Apps.example.com."), identity)).toEqual({
    ok: true,
    host: "web-web-0.shop.east-1.apps.example.com",
  });
});

test("a template without placeholders is a host", () => {
  expect(fillTemplate(template("*.example.com"), identity)).toEqual({ ok: true, host: "*.example.com" });
});

test("a placeholder that the identity lacks is named", () => {
  const fleet = { ...identity, cluster: undefined, name: undefined };
  expect(fillTemplate(template("{route}.{cluster}.x"), fleet)).toMatchObject({
    ok: false,
    missing: "cluster",
  });
  expect(fillTemplate(template("{name}.x"), fleet)).toMatchObject({ ok: false, missing: "name" });
  expect(fillTemplate(template("{route}.{namespace}.x"), fleet)).toEqual({ ok: true, host: "web.shop.x" });
});

test("a result that breaks the grammar is refused, with no placeholder missing", () => {
  const long = { ...identity, route: "r".repeat(63) };
  expect(fillTemplate(template("{route}-{namespace}.x"), long)).toMatchObject({
    ok: false,
    missing: undefined,
    message: expect.stringContaining("at most 63"),
  });
});

test.each([
  ["{Route}.x", "not known"],
  ["{}.x", "not known"],
  ["{{route}}.x", "not known"],
  ["{route.x", 'no "}"'],
  ["route}.x", 'no "{"'],
  ["{route}}.x", 'no "{"'],
  ["", "empty"],
  ["{route}_{name}.x", '"_"'],
  ["{route}..x", "empty label"],
  ["{name}::1", "port"],
  ["*{route}.x", '"*."'],
  ["http://{route}.x", "scheme"],
])("the template %j is refused", (text, says) => {
  expect(parseTemplate(text)).toMatchObject({ ok: false, message: expect.stringContaining(says) });
});

test("a template goes to another thread unchanged", () => {
  const parsed = template("{route}.{namespace}.x");
  expect(fillTemplate(structuredClone(parsed), identity)).toEqual(fillTemplate(parsed, identity));
});

test("whatever the template, reading and filling it gives a host or a reason", () => {
  const text = fc.string({
    unit: fc.constantFrom("{", "}", "route", "name", "cluster", ".", "-", "a", "*."),
  });
  fc.assert(
    fc.property(text, (written) => {
      const parsed = parseTemplate(written);
      if (!parsed.ok) return;
      const filled = fillTemplate(parsed.template, identity);
      if (filled.ok) expect(filled.host).not.toMatch(/[{}A-Z\s]/);
      else expect(filled.message).toContain("a host is required");
    }),
  );
});
