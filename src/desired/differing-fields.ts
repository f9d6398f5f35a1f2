import { equalIgnoringDefaults } from "../apisix/canonical.ts";
import { isJsonObject } from "../apisix/json-object.ts";
import type { Json, JsonObject } from "../apisix/types.ts";
import type { Selection, Settings } from "./settings.ts";

/** What a declaration asks for, as bodies have it; `selection` is undefined where it cannot be read. */
export interface Asked extends Pick<Settings, "route" | "upstream"> {
  readonly selection: Selection | undefined;
}

/**
 * Fields of the annotation by which a declaration differs from what another asks for, or what stands, as a user writes
 * them, in the order of the documentation.
 */
export function differingFields(one: Asked, other: Asked): string[] {
  const others = new Map(askedBy(other));
  return askedBy(one)
    .filter(([field, asked]) => !equalIgnoringDefaults(asked, others.get(field) ?? {}))
    .map(([field]) => field);
}

/** Field of a declaration → what of the bodies it decides. */
function askedBy({ selection, route, upstream }: Asked): (readonly [field: string, asked: JsonObject])[] {
  const { "proxy-rewrite": rewrite, ...plugins } = isJsonObject(route["plugins"]) ? route["plugins"] : {};
  const { port, via, publishNotReady } = selection ?? {};
  return [
    ["port", present({ port })],
    ["host", only(route, "hosts", "host")],
    ["uri", only(route, "uris", "uri")],
    ["methods", only(route, "methods")],
    ["priority", only(route, "priority")],
    ["websocket", only(route, "enable_websocket")],
    ["rewrite", rewrite === undefined ? {} : { plugins: { "proxy-rewrite": rewrite } }],
    ["plugins", { plugins }],
    ["scheme", only(upstream, "scheme")],
    ["timeout", only(upstream, "timeout")],
    ["retries", only(upstream, "retries")],
    ["passHost", only(upstream, "pass_host", "upstream_host")],
    ["loadBalancer", only(upstream, "type", "hash_on", "key")],
    ["healthCheck", only(upstream, "checks")],
    ["via", present({ via })],
    ["publishNotReady", present({ publishNotReady })],
  ];
}

function only(body: JsonObject, ...keys: readonly string[]): JsonObject {
  return present(Object.fromEntries(keys.map((key) => [key, body[key]])));
}

function present(values: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
