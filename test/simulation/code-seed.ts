import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const project = path.join(import.meta.dirname, "../..");
/** What decides how a schedule goes. */
const deciding = ["src/**/*.ts", "workers/**/*.ts", "test/simulation/**/*.ts", "package-lock.json"];

/** Apart from the low numbers, which are played by hand. */
const least = 1_000_000_000;
/** So many schedules in a row belong to one state of the code. */
const block = 1_000;
const blocks = 1_000_000;

/**
 * The first seed that belongs to this state of the code: another change, other schedules; the same code, the same ones
 * (docs/decisions/0031).
 */
export function codeSeed(root = project): number {
  const hash = createHash("sha256");
  for (const file of globSync(deciding, { cwd: root }).toSorted()) {
    const content = readFileSync(path.join(root, file));
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return least + (hash.digest().readUInt32BE() % blocks) * block;
}
