/** How a PATCH changes an object. */
import { isJsonObject, type JsonObject } from "./json-schema.ts";

/** Objects are merged by key, `null` removes a key, anything else (arrays too) replaces. */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(isJsonObject(value) ? Object.entries(value) : []);
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), part));
  }
  return Object.fromEntries(merged);
}

/** Replaces what stands at `path`; what is missing on the way is made an object. `null` is set, not removed. */
export function patchAt(value: JsonObject, path: readonly string[], patch: unknown): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const below = value[name];
  const next = rest.length === 0 ? patch : patchAt(memberObject(below), rest, patch);
  return Object.fromEntries([...Object.entries(value), [name, next]]);
}

/** An array takes a string key beside its numbers, as a Lua table does. */
function memberObject(value: unknown): JsonObject {
  if (Array.isArray(value))
    return Object.fromEntries(value.map((item: unknown, at) => [String(at + 1), item]));
  return isJsonObject(value) ? value : {};
}
