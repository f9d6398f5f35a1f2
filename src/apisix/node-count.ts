import { isJsonArray, isJsonObject } from "./json-object.ts";
import type { JsonObject } from "./types.ts";

/** Nodes of an upstream as read: a list, as we write it, or the map from addresses to weights that APISIX takes as well. */
export function nodeCount({ nodes }: JsonObject): number {
  if (isJsonArray(nodes)) return nodes.length;
  return isJsonObject(nodes) ? Object.keys(nodes).length : 0;
}
