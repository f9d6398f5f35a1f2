import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codeSeed } from "./code-seed.ts";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "code-seed-"));
  for (const folder of ["src/write", "workers", "test/simulation", "docs"])
    mkdirSync(path.join(root, folder), { recursive: true });
  write("src/write/writer.ts", "one");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test("the same code plays the same schedules", () => {
  expect(codeSeed(root)).toBe(codeSeed(root));
  expect(codeSeed()).toBe(codeSeed());
});

test.each(["src/write/writer.ts", "workers/shard-worker.ts", "test/simulation/plan.ts", "package-lock.json"])(
  "a change of %s plays others",
  (file) => {
    const before = codeSeed(root);
    write(file, "two");
    expect(codeSeed(root)).not.toBe(before);
  },
);

test("words that are not code change nothing", () => {
  const before = codeSeed(root);
  write("docs/reliability.md", "more");
  expect(codeSeed(root)).toBe(before);
});

test("a block of schedules never begins where played ones may be, nor beyond what a number holds exactly", () => {
  const seed = codeSeed(root);
  expect(seed % 1000).toBe(0);
  expect(seed).toBeGreaterThanOrEqual(1_000_000_000);
  expect(seed).toBeLessThan(2_000_000_000);
});

function write(file: string, content: string): void {
  writeFileSync(path.join(root, file), content);
}
