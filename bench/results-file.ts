import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("RESULTS.md", import.meta.url);
const head = `# Results

Each part is written by \`npm run bench\` itself, between its markers; nothing here is typed by hand. Targets: \`targets.json\`.
`;

/** Replaces the part of that name, or adds it at the end. */
export function writePart(name: string, text: string): void {
  const begin = `<!-- begin ${name} -->`;
  const end = `<!-- end ${name} -->`;
  const part = `${begin}\n${text.trim()}\n${end}`;
  const old = readOld();
  const from = old.indexOf(begin);
  const to = old.indexOf(end, from);
  const isThere = from >= 0 && to > from;
  const whole = isThere
    ? old.slice(0, from) + part + old.slice(to + end.length)
    : `${old.trimEnd()}\n\n${part}\n`;
  writeFileSync(file, whole);
}

function readOld(): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return head;
    throw error;
  }
}
