import { TranslatorError } from "../errors.ts";
import { contentOf, sortedNodes } from "./canonical.ts";
import { isJsonArray, isJsonObject } from "./json-object.ts";
import { maxDepth } from "./ordered-json.ts";
import { storedDefaults } from "./stored-defaults.ts";
import type { Json, JsonObject } from "./types.ts";

/** Lua's cjson writes numbers with 14 significant digits. */
const numberTolerance = 1e-13;

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
  return isJsonArray(nodes) ? { ...body, nodes: sortedNodes(nodes) } : body;
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
