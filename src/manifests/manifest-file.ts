import { LineCounter, isAlias, isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
import type { Document, Node, Pair, ParsedNode } from "yaml";

/** Keys and indexes from a document's root. */
export type Path = readonly (string | number)[];

/** Why a document is no YAML or JSON; `line` and `column` from 1. */
interface Fault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface ManifestDocument {
  /** Plain values; undefined where there are faults, and for an empty document. */
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** The document's node tree; ranges are offsets in the file's text. */
  readonly contents: Node | null;
  /** Line, from 1, of what stands at `path`: of its key, of an array's element, or of the nearest thing around it. */
  lineOf(path: Path): number;
}

/** What an alias stands for is copied as often as it is named: without a bound, a small file unfolds to gigabytes. */
const maxAliasCount = 100;

/** One wrong bracket makes many. */
const mostFaults = 5;

/** Reads a file of YAML or JSON documents; never throws. A faulty document does not hide the others. */
export function readManifestFile(text: string): readonly ManifestDocument[] {
  const lines = new LineCounter();
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  try {
    const documents = parseAllDocuments<ParsedNode>(text, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      // Whatever is wrong is told as a fault: nothing may write to standard error on its own.
      logLevel: "error",
    });
    return Array.isArray(documents) ? documents.map((document) => readDocument(document, at)) : [];
  } catch (error) {
    // Nesting beyond the stack.
    return [notUsable(null, error, { line: 1, column: 1 }, () => 1)];
  }
}

function readDocument(
  document: Document.Parsed,
  at: (offset: number) => { line: number; column: number },
): ManifestDocument {
  const { contents } = document;
  const lineOf = (path: Path): number => at(offsetOf(document, path)).line;
  const faults = document.errors.slice(0, mostFaults).map(({ pos, message }) => ({ ...at(pos[0]), message }));
  if (faults.length > 0) return { value: undefined, faults, contents, lineOf };
  try {
    const value: unknown = document.toJS({ maxAliasCount });
    return { value: value ?? undefined, faults, contents, lineOf };
  } catch (error) {
    // Too many aliases.
    return notUsable(contents, error, at(document.range[0]), lineOf);
  }
}

function notUsable(
  contents: Node | null,
  error: unknown,
  where: { line: number; column: number },
  lineOf: ManifestDocument["lineOf"],
): ManifestDocument {
  const message = error instanceof Error ? error.message : "it cannot be used as YAML";
  return { value: undefined, faults: [{ ...where, message }], contents, lineOf };
}

function offsetOf(document: Document.Parsed, path: Path): number {
  let node: Node | null | undefined = document.contents;
  let offset = document.contents?.range[0] ?? document.range[0];
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap<Node, Node | null>(node)) {
      const pair: Pair<Node, Node | null> | undefined = node.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(step),
      );
      if (pair === undefined) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq<Node>(node) && typeof step === "number") {
      node = node.items[step];
      offset = node?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}
