import type { Json, JsonObject } from "../apisix/types.ts";
import type { Settings } from "./settings.ts";

/** Field of a declaration → what it asks for. */
type Asked = readonly (readonly [field: string, value: Json | undefined])[];

/** Fields of the annotation by which two declarations differ, as a user writes them, in the order of the documentation. */
export function differingFields(one: Settings, other: Settings): string[] {
  const others = new Map(askedBy(other));
  return askedBy(one)
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(others.get(field)))
    .map(([field]) => field);
}

function askedBy({ hosts, uris, selection, route, upstream }: Settings): Asked {
  const { "proxy-rewrite": rewrite, ...plugins } = (route["plugins"] ?? {}) as JsonObject;
  const several = (...names: readonly string[]): Json => names.map((name) => upstream[name] ?? null);
  return [
    ["port", selection.port],
    ["host", hosts],
    ["uri", uris],
    ["methods", route["methods"]],
    ["priority", route["priority"]],
    ["websocket", route["enable_websocket"]],
    ["rewrite", rewrite],
    ["plugins", plugins],
    ["scheme", upstream["scheme"]],
    ["timeout", upstream["timeout"]],
    ["retries", upstream["retries"]],
    ["passHost", several("pass_host", "upstream_host")],
    ["loadBalancer", several("type", "hash_on", "key")],
    ["healthCheck", upstream["checks"]],
    ["via", selection.via],
    ["publishNotReady", selection.publishNotReady],
  ];
}
