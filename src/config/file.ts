import { closeSync, openSync, readSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import type { Problems } from "./problems.ts";

/** Reads a whole text file. @throws Error what the file system says, or why the content cannot be text. */
export type ReadFile = (path: string) => string;

/** A configuration of a thousand clusters takes a few hundred KiB; what is larger is no configuration. */
const mostBytes = 8 * 2 ** 20;

/** One wrong bracket makes many. */
const mostFaults = 5;

/** Works for pipes too, and gives up on what never ends. */
export const readTextFile: ReadFile = (path) => {
  const file = openSync(path, "r");
  try {
    const pieces: Buffer[] = [];
    for (let total = 0; ;) {
      const piece = Buffer.alloc(64 * 1024);
      const count = readSync(file, piece);
      if (count === 0) return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
      total += count;
      if (total > mostBytes) throw new RangeError(`it is over ${mostBytes / 2 ** 20} MiB`);
      pieces.push(piece.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
};

/** The one YAML document in a file as plain values; `undefined` where that failed and the reason was reported. */
export function readConfigFile(path: string, readFile: ReadFile, problems: Problems): unknown {
  const label = `configuration file ${path}`;
  let content: string;
  try {
    content = readFile(path);
  } catch (error) {
    problems.add("", `cannot be read: ${fileFault(error)}`, label);
    return undefined;
  }
  return parseYaml(content, label, problems);
}

/** The one mapping in a YAML text; `undefined` where that failed and the reason was reported. */
export function parseYaml(content: string, label: string, problems: Problems): unknown {
  const lines = new LineCounter();
  try {
    const document = parseDocument(content, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: true,
      strict: true,
      // It would tell the process, past our log, of keys that are lists: these are unknown keys like others.
      logLevel: "error",
    });
    const faults = [...document.errors, ...document.warnings];
    for (const { code, pos, message } of faults.slice(0, mostFaults)) {
      const { line, col } = lines.linePos(pos[0]);
      const fault = code === "MULTIPLE_DOCS" ? "a second document" : message;
      problems.add("", `line ${line}, column ${col}: ${fault}`, label);
    }
    const more = faults.length - mostFaults;
    if (more > 0) problems.add("", `and ${more} more faults like these`, label);
    if (faults.length > 0) return undefined;
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    problems.add("", `is ${value === null ? "empty" : "not a mapping"}; allowed: one mapping of keys`, label);
  } catch (error) {
    // Too many aliases, or nesting beyond the stack.
    problems.add(
      "",
      `is not usable as YAML: ${error instanceof Error ? error.message : "unknown fault"}`,
      label,
    );
  }
  return undefined;
}

/** A file system's reason without the path, which the line has already. */
export function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return "unknown fault";
  const code = "code" in error ? String(error.code) : "";
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  if (code === "EISDIR") return "it is a directory";
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is not UTF-8 text";
  return code.startsWith("E") ? code : error.message;
}
