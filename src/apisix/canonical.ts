import { hash } from "node:crypto";
import { compareBytewise } from "../declare/byte-order.ts";
import { isJsonArray, isJsonObject } from "./json-object.ts";
import { digestLabel } from "./labels.ts";
import { orderedText } from "./ordered-json.ts";
import type { Json, JsonObject } from "./types.ts";

/** 32 hexadecimal digits. */
const digestBytes = 16;

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
  return joinMembers(membersOf(body));
}

/** The first 32 hexadecimal digits of SHA-256. */
export function digestOf(text: string): string {
  return hash("sha256", text, "buffer").toString("hex", 0, digestBytes);
}

/**
 * The request body for `body`, serialised once, with the hash of what it says spliced in as its digest label. What the
 * server itself sets (`id`, times) is left out.
 */
export function sealed(body: JsonObject): Sealed {
  const content = contentOf(body);
  const members = membersOf(content);
  const digest = digestOf(joinMembers(members));
  const labels = isJsonObject(content["labels"]) ? content["labels"] : {};
  members.set("labels", orderedText({ ...labels, [digestLabel]: digest }));
  return { text: joinMembers(members), digest };
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
export function sortedNodes(nodes: readonly Json[]): readonly Json[] {
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

/** Text of each member of an object at the root. */
function membersOf(body: JsonObject): Map<string, string> {
  const members = new Map<string, string>();
  for (const [key, value] of Object.entries(body)) {
    members.set(key, orderedText(key === "nodes" && isJsonArray(value) ? sortedNodes(value) : value));
  }
  return members;
}

function joinMembers(members: ReadonlyMap<string, string>): string {
  const keys = [...members.keys()].sort(compareBytewise);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${members.get(key)}`).join(",")}}`;
}

/** Assignment to `__proto__` would set the prototype. */
function define(object: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
