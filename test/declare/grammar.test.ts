import { describe, expect, test } from "vitest";
import { routesAnnotation } from "../../src/declare/names.ts";
import { parseRoutes, validateRoutes } from "../../src/declare/parse.ts";
import type { Entry } from "../../src/declare/parse.ts";
import type { Problem } from "../../src/declare/problem.ts";
import { fieldTable } from "./field-table.ts";
import type { GrammarRow } from "./grammar-row.ts";
import { grammarTable } from "./grammar-table.ts";

const tables: readonly (readonly [string, readonly GrammarRow[]])[] = [
  ["grammar table", grammarTable],
  ["field table", fieldTable],
];

describe.each(tables)("%s", (_table, rows) => {
  test.each(rows.map((row) => [row.title, row] as const))("%s", (_title, { annotation, kind, outcome }) => {
    const parsed = parseRoutes(annotation, kind);
    if ("unreadable" in outcome) {
      if (parsed.readable) expect.fail("the annotation was read");
      expect(parsed.problem.field).toBe(routesAnnotation);
      expect(parsed.problem.message).toContain(outcome.unreadable);
      return;
    }
    if (!parsed.readable) expect.fail(parsed.problem.message);
    expect(parsed.entries).toHaveLength(outcome.entries.length);
    for (const [index, expected] of outcome.entries.entries()) {
      const entry: Entry | undefined = parsed.entries[index];
      if (entry?.ok === true) {
        if (!expected.ok) expect.fail(`entry ${index} is valid`);
        expect(entry.declaration).toMatchObject(expected.holds);
      } else {
        if (expected.ok) expect.fail(messages(entry?.problems));
        const problem = entry?.problems.find(({ field }) => field === expected.field);
        expect(problem?.message ?? messages(entry?.problems)).toContain(expected.says);
        expect(entry?.index).toBe(index);
      }
    }
  });

  test.each(
    rows.filter((row) => !row.textOnly && isJson(row.annotation)).map((row) => [row.title, row] as const),
  )("a program's value is judged alike: %s", (_title, { annotation, kind }) => {
    const parsed = parseRoutes(annotation, kind);
    const validated = validateRoutes(JSON.parse(annotation), kind);
    const entries = parsed.readable ? parsed.entries : [];
    const routes = entries.flatMap((entry) => (entry.ok ? [entry.declaration] : []));
    const problems = entries.flatMap((entry) => (entry.ok ? [] : entry.problems));
    if (!parsed.readable) {
      expect(validated).toMatchObject({ ok: false, problems: [{ field: routesAnnotation }] });
    } else expect(validated).toEqual(problems.length > 0 ? { ok: false, problems } : { ok: true, routes });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function messages(problems: readonly Problem[] | undefined): string {
  return (problems ?? []).map((problem) => problem.message).join("\n");
}
