import { hash } from "node:crypto";
import { compareBytewise } from "../declare/byte-order.ts";
import { TranslatorError } from "../errors.ts";
import { isJsonArray, isJsonObject } from "./json-object.ts";
import { digestLabel } from "./labels.ts";
import { maxDepth, ordered, orderedText } from "./ordered-json.ts";
import { storedDefaults } from "./stored-defaults.ts";
import type { Json, JsonObject } from "./types.ts";

/** Hexadecimal digits of a digest. */
const digestLength = 32;

/** Lua's cjson writes numbers with 14 significant digits. */
const numberTolerance = 1e-13;

/** What the server adds to an object: no part of its content. */
const serverFields: ReadonlySet<string> = new Set(["id", "create_time", "update_time"]);

export interface Sealed {
  /** The request body: canonical JSON with the digest label. */
  readonly text: string;
  /** `digestOf` the canonical JSON without that label. */
  readonly digest: string;
}

/**
 * Canonical JSON of an object as the Admin API takes it: no whitespace, keys in bytewise order at every depth, an
 * upstream's `nodes` sorted by host, port, then the rest of the node. Equal content gives equal text.
 *
 * @throws TranslatorError `ADMIN_PROTOCOL` where the object is nested deeper than any Admin API sends.
 */
export function canonicalText(body: JsonObject): string {
  return orderedText(withSortedNodes(body));
}

/** The first 32 hexadecimal digits of SHA-256. */
export function digestOf(text: string): string {
  return hash("sha256", text).slice(0, digestLength);
}

/**
 * The request body for `body`, serialised once, with the hash of what it says spliced in as its digest label. What the
 * server itself sets (`id`, times) is left out.
 */
export function sealed(body: JsonObject): Sealed {
  const content = withSortedNodes(contentOf(body));
  const inOrder = ordered(content);
  // Whose keys JavaScript does not keep in order goes the slow way.
  if (!isJsonObject(inOrder) || !isJsonObject(inOrder["labels"])) return sealedAs(content, orderedText);
  return sealedAs(inOrder, (value) => JSON.stringify(value));
}

function sealedAs(content: JsonObject, textOf: (value: JsonObject) => string): Sealed {
  const digest = digestOf(textOf(content));
  const labels = isJsonObject(content["labels"]) ? content["labels"] : {};
  // In its place, `labels` keeps the order of the rest.
  return { text: textOf({ ...content, labels: withDigest(labels, digest) }), digest };
}

/** Labels that are in order stay so. */
function withDigest(labels: JsonObject, digest: string): JsonObject {
  const marked: Record<string, Json> = {};
  let isPlaced = false;
  for (const [label, value] of Object.entries(labels)) {
    if (!isPlaced && compareBytewise(label, digestLabel) > 0) {
      marked[digestLabel] = digest;
      isPlaced = true;
    }
    define(marked, label, value);
  }
  if (!isPlaced) marked[digestLabel] = digest;
  return marked;
}

/** Hash of an object as read back; equal to the digest of the `sealed` body that was written, while nobody edited it. */
export function contentDigest(found: JsonObject): string {
  return digestOf(canonicalText(contentOf(found)));
}

/** The object without `id`, times and digest label: what the translator decides. Empty labels are no labels. */
export function contentOf(object: JsonObject): JsonObject {
  const content: Record<string, Json> = {};
  for (const [key, value] of Object.entries(object)) {
    if (serverFields.has(key)) continue;
    if (key !== "labels" || !isJsonObject(value)) define(content, key, value);
    else {
      const { [digestLabel]: _, ...labels } = value;
      if (Object.keys(labels).length > 0) content["labels"] = labels;
    }
  }
  return content;
}

/** Sorted by host, port, then canonical text. */
function sortedNodes(nodes: readonly Json[]): readonly Json[] {
  const isSorted = nodes.every(
    (node, index) => index === 0 || compareNodes(nodes[index - 1] as Json, node) <= 0,
  );
  return isSorted ? nodes : nodes.toSorted(compareNodes);
}

function compareNodes(a: Json, b: Json): number {
  const [hostA, portA] = placeOf(a);
  const [hostB, portB] = placeOf(b);
  if (hostA !== hostB) return compareBytewise(hostA, hostB);
  return portA - portB || compareBytewise(orderedText(a), orderedText(b));
}

function placeOf(node: Json): [host: string, port: number] {
  if (!isJsonObject(node)) return ["", 0];
  const { host, port } = node;
  return [typeof host === "string" ? host : "", typeof port === "number" ? port : 0];
}

/** Assignment to `__proto__` would set the prototype; to anything else it is many times cheaper than a definition. */
function define(object: Record<string, Json>, key: string, value: Json): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Whether what stands in APISIX says what is desired, field by field: `id`, times, the digest label and the order of
 * nodes do not count, nor does a field that the desired object lacks and that has the value which an old APISIX stores
 * for absent ones. `{}` and `[]` are equal (Lua cannot tell them apart), and numbers equal to 14 digits.
 *
 * Caveat: defaults of plugins other than `proxy-rewrite` are not known here.
 *
 * @throws TranslatorError `ADMIN_PROTOCOL` where an object is nested deeper than any Admin API sends.
 */
export function equalIgnoringDefaults(desired: JsonObject, found: JsonObject): boolean {
  return equalObjects(withSortedNodes(contentOf(desired)), withSortedNodes(contentOf(found)), "", 1);
}

function withSortedNodes(body: JsonObject): JsonObject {
  const nodes = body["nodes"];
  if (!isJsonArray(nodes)) return body;
  const sorted = sortedNodes(nodes);
  return sorted === nodes ? body : { ...body, nodes: sorted };
}

function equal(desired: Json, found: Json, path: string, depth: number): boolean {
  if (depth > maxDepth) throw new TranslatorError("ADMIN_PROTOCOL", `JSON is nested deeper than ${maxDepth}`);
  if (isEmpty(desired) && isEmpty(found)) return true;
  if (isJsonArray(desired)) {
    return isJsonArray(found) && equalArrays(desired, found, path, depth);
  }
  if (isJsonObject(desired)) return isJsonObject(found) && equalObjects(desired, found, path, depth);
  if (typeof desired === "number") return typeof found === "number" && equalNumbers(desired, found);
  return desired === found;
}

function equalArrays(desired: readonly Json[], found: readonly Json[], path: string, depth: number): boolean {
  const itemPath = join(path, "[]");
  return (
    desired.length === found.length &&
    desired.every((item, index) => equal(item, found[index] as Json, itemPath, depth + 1))
  );
}

function equalObjects(desired: JsonObject, found: JsonObject, path: string, depth: number): boolean {
  for (const key of Object.keys(desired)) {
    if (!Object.hasOwn(found, key)) return false;
    if (!equal(desired[key] as Json, found[key] as Json, join(path, key), depth + 1)) return false;
  }
  return Object.keys(found).every((key) => {
    if (Object.hasOwn(desired, key)) return true;
    const stored = storedDefaults.get(join(path, key));
    return stored !== undefined && equal(stored, found[key] as Json, join(path, key), depth + 1);
  });
}

function equalNumbers(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= numberTolerance * Math.max(Math.abs(a), Math.abs(b));
}

function isEmpty(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).length === 0;
}

/** A key with a dot in it cannot pass for two: no default's path has such a key. */
function join(path: string, key: string): string {
  const part = key.replaceAll(".", "\\.");
  return path === "" ? part : `${path}.${part}`;
}
