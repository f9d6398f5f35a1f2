import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRoutes, validateRoutes } from "../../src/declare/parse.ts";

const base = { name: "web", port: 8080 };

function firstProblem(value: unknown) {
  const result = validateRoutes(value);
  return result.ok ? undefined : result.problems[0];
}

test("whatever a program passes, the answer is routes or problems that name a field", () => {
  const value = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  fc.assert(
    fc.property(
      fc.oneof(
        value,
        value.map((plugins) => ({ ...base, plugins })),
      ),
      (written) => {
        const result = validateRoutes(written);
        if (result.ok) return;
        expect(result.problems.length).toBeGreaterThan(0);
        for (const problem of result.problems) expect(problem.message).toContain(problem.field);
      },
    ),
    { numRuns: 1000 },
  );
});

test("what is accepted stays the same when it is written as JSON and parsed", () => {
  const field = fc.constantFrom("host", "priority", "plugins", "x");
  const value = fc.oneof(
    fc.anything(),
    fc.domain(),
    fc.integer(),
    fc.object().map((config) => ({ cors: config })),
  );
  fc.assert(
    fc.property(field, value, (name, written) => {
      const routes = [{ ...base, [name]: written }];
      const result = validateRoutes(routes, "pod");
      if (!result.ok) return;
      const parsed = parseRoutes(JSON.stringify(routes), "pod");
      expect(parsed).toEqual({
        readable: true,
        entries: result.routes.map((declaration) => ({ ok: true, declaration })),
      });
    }),
    { numRuns: 2000 },
  );
});

test("without a kind, what one kind of source may write is accepted", () => {
  expect(validateRoutes({ ...base, via: "nodePort", port: "a--long-port-name-of-a-service" }).ok).toBe(true);
});

test("a field that is undefined is absent", () => {
  expect(validateRoutes({ ...base, host: undefined, plugins: { cors: { a: undefined } } })).toMatchObject({
    ok: true,
    routes: [{ hosts: undefined, plugins: { cors: {} } }],
  });
});

test("objects of another realm and without a prototype are objects", () => {
  expect(validateRoutes(runInNewContext("[{name: 'web', port: 1, plugins: {cors: {}}}]")).ok).toBe(true);
  expect(validateRoutes(Object.assign(Object.create(null), base)).ok).toBe(true);
});

test("the value is not changed, and the result does not hang on it", () => {
  const plugins = { cors: { a: 1 } };
  const result = validateRoutes(Object.freeze([Object.freeze({ ...base, plugins })]));
  plugins.cors.a = 2;
  expect(result).toMatchObject({ ok: true, routes: [{ plugins: { cors: { a: 1 } } }] });
});

describe("what JSON would change silently is refused", () => {
  test.each([
    ["NaN", Number.NaN],
    ["a date", new Date(0)],
    ["a Map", new Map()],
    ["a function", () => 1],
    ["a bigint", 1n],
    ["an object with toJSON", { toJSON: () => 1 }],
    ["an array with holes", Object.assign([], { 1: 1 })],
  ])("%s", (_title, value) => {
    expect(firstProblem({ ...base, plugins: { cors: { value } } })?.field).toMatch(/^plugins\.cors\.value/);
  });
});

test("cycles, objects that unfold without end, and what throws cannot be read", () => {
  const cycle: Record<string, unknown> = { ...base };
  cycle["plugins"] = cycle;
  let wide: unknown = {};
  for (let depth = 0; depth < 30; depth++) wide = [wide, wide];
  const throwing = Object.defineProperty({ ...base }, "host", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  expect(firstProblem(cycle)?.message).toContain("32 levels");
  expect(firstProblem([wide])?.message).toContain("64 KiB");
  expect(firstProblem(throwing)?.message).toContain("throws");
});

test("what is too long as JSON is refused", () => {
  const plugins = { cors: { text: "a".repeat(65_536) } };
  expect(firstProblem({ ...base, plugins })?.message).toContain("64 KiB");
});
