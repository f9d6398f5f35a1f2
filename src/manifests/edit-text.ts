import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
import type { Node, Pair, ParsedNode, YAMLMap } from "yaml";
import type { Path } from "./manifest-file.ts";

/** `reason` says why the text cannot be edited there. */
export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Sets the text at `path` in a document of a YAML or JSON file, and touches no other byte: comments, quotes and
 * indentation stay as people wrote them, which printing the parsed document again would not keep. Mappings on the way
 * are created. A text with several lines becomes a `|` block where the place allows it.
 */
export function setText(text: string, document: number, path: Path, value: string): Edited {
  const parsed = parseAllDocuments<ParsedNode>(text, { prettyErrors: false, merge: true, logLevel: "error" });
  const contents = Array.isArray(parsed) ? parsed[document]?.contents : undefined;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const splice = new Editor(text, eol).set(contents, path, value);
  if (typeof splice === "string") return { ok: false, reason: splice };
  return { ok: true, text: text.slice(0, splice.from) + splice.text + text.slice(splice.to) };
}

type Map = YAMLMap<Node, Node | null>;

class Editor {
  readonly #text: string;
  readonly #eol: string;

  constructor(text: string, eol: string) {
    this.#text = text;
    this.#eol = eol;
  }

  /** What to replace, or why it cannot be. */
  set(root: Node | null | undefined, path: Path, value: string): Splice | string {
    let node = root;
    let inFlow = false;
    for (const [index, step] of path.entries()) {
      if (isSeq<Node>(node) && typeof step === "number") {
        inFlow ||= node.flow === true;
        node = node.items[step];
        continue;
      }
      if (!isMap<Node, Node | null>(node)) return `there is no mapping before ${String(step)}`;
      inFlow ||= node.flow === true;
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      const below = path.slice(index + 1);
      if (pair === undefined) return this.#insert(node, [String(step), ...below.map(String)], value, inFlow);
      if (isAlias(pair.value)) return `${String(step)} is an alias (*${pair.value.source})`;
      if (below.length === 0 || isEmpty(pair.value)) {
        return this.#replace(node, pair, below.map(String), value, inFlow);
      }
      node = pair.value;
    }
    return "there is nothing of this path";
  }

  #insert(map: Map, keys: readonly string[], value: string, inFlow: boolean): Splice | string {
    const first = map.items[0]?.key.range?.[0];
    const last = map.items.at(-1);
    if (first === undefined || last === undefined) return "the mapping has no place in the text";
    const end = endOf(last.value) ?? last.key.range?.[1] ?? first;
    if (inFlow) {
      const before = this.#text.slice(this.#lineStart(first), first);
      const lines = before.trim() === "" && this.#lineStart(first) > (map.range?.[0] ?? 0);
      const gap = lines ? `${this.#eol}${before}` : " ";
      return { from: end, to: end, text: `,${gap}${inline(keys, value)}` };
    }
    const column = first - this.#lineStart(first);
    // Metadata is looked for before the specification.
    if (keys[0] === "metadata") {
      return { from: first, to: first, text: `${this.#block(keys, value, column)}${" ".repeat(column)}` };
    }
    const at = this.#nextLine(end);
    const block = `${" ".repeat(column)}${this.#block(keys, value, column)}`;
    const open = at > 0 && this.#text[at - 1] !== "\n" ? this.#eol : "";
    return { from: at, to: at, text: `${open}${block}` };
  }

  #replace(
    map: Map,
    { key, value: old }: Pair<Node, Node | null>,
    keys: readonly string[],
    value: string,
    inFlow: boolean,
  ): Splice | string {
    const [from, to] = old?.range ?? [];
    const keyStart = map.items[0]?.key.range?.[0];
    if (from === undefined || to === undefined || keyStart === undefined)
      return "the value has no place in the text";
    const before = /\s/.test(this.#text[from - 1] ?? "") ? "" : " ";
    if (inFlow) {
      const inner = inline(keys, value);
      return { from, to, text: `${before}${keys.length === 0 ? inner : `{${inner}}`}` };
    }
    const column = keyStart - this.#lineStart(keyStart);
    const ownLines = this.#text[to - 1] === "\n" && to > from;
    const rest = this.#text.slice(to, this.#nextLine(to)).trim();
    const start = (key.range?.[1] ?? from) + this.#text.slice(key.range?.[1] ?? from, from).trimEnd().length;
    if (ownLines || rest === "") {
      const end = ownLines ? to : this.#nextLine(to);
      return { from: start, to: end, text: this.#below(keys, value, column) };
    }
    // What follows on this line is a comment.
    if (keys.length === 0) return { from, to, text: `${before}${JSON.stringify(value)}` };
    const end = this.#nextLine(to);
    const below = this.#below(keys, value, column);
    return { from: start, to: end, text: ` ${rest}${below}` };
  }

  /** `a:`, and under it the rest; ends its line. */
  #block(keys: readonly string[], value: string, column: number): string {
    const [key = "", ...below] = keys;
    return `${key}:${this.#below(below, value, column)}`;
  }

  /** What follows the colon of a key at `column`; ends its line. */
  #below(keys: readonly string[], value: string, column: number): string {
    const inner = " ".repeat(column + 2);
    if (keys.length > 0) return `${this.#eol}${inner}${this.#block(keys, value, column + 2)}`;
    if (!value.endsWith("\n")) return ` ${JSON.stringify(value)}${this.#eol}`;
    const lines = value.slice(0, -1).split("\n");
    return ` |${this.#eol}${lines.map((line) => `${inner}${line}${this.#eol}`).join("")}`;
  }

  #lineStart(at: number): number {
    return this.#text.lastIndexOf("\n", at - 1) + 1;
  }

  /** Where the next line begins; `at` itself where a line begins there. */
  #nextLine(at: number): number {
    if (at > 0 && this.#text[at - 1] === "\n") return at;
    const end = this.#text.indexOf("\n", at);
    return end < 0 ? this.#text.length : end + 1;
  }
}

/** Whether there is nothing in it: a key without a value, `null`, `{}`. */
function isEmpty(node: Node | null): boolean {
  if (node === null) return true;
  return isMap(node) ? node.items.length === 0 : isScalar(node) && node.value === null;
}

/** Where the last thing of a node ends, without the comments and blank lines behind it. */
function endOf(node: Node | null): number | undefined {
  if (node === null) return undefined;
  const flow = (isMap(node) || isSeq(node)) && node.flow === true;
  if (isMap<Node, Node | null>(node) && !flow) {
    const last = node.items.at(-1);
    return endOf(last?.value ?? null) ?? last?.key.range?.[1];
  }
  if (isSeq<Node>(node) && !flow) return endOf(node.items.at(-1) ?? null);
  return node.range?.[1];
}

/** `{"a": {"b": "text"}}` without the outer braces where it goes into a mapping; the text alone without keys. */
function inline(keys: readonly string[], value: string): string {
  const [key, ...below] = keys;
  if (key === undefined) return JSON.stringify(value);
  const inner = below.length === 0 ? JSON.stringify(value) : `{${inline(below, value)}}`;
  return `${JSON.stringify(key)}: ${inner}`;
}
