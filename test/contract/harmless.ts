/** Which recorded exchanges may be sent to an APISIX that serves others, once their names carry a mark (`markedNames`). */
import { isJsonObject } from "../../src/sim/admin/json-schema.ts";
import type { RecordedExchange } from "./recorded-exchanges.ts";

const marked = new Set(["routes", "upstreams", "services", "plugin_configs"]);
const beside = new Set(["ssls", "stream_routes", "global_rules", "consumers", "plugin_metadata"]);
const writes = new Set(["PUT", "POST", "PATCH", "DELETE"]);

/** @returns Why it must not be sent; undefined where it can change nothing but what carries the mark. */
export function harm({ request, response }: RecordedExchange, mark: string): string | undefined {
  const { method, path, body } = request;
  const [resource = "", ...rest] = segmentsOf(path);
  if (beside.has(resource)) return `${resource} act on the traffic of others`;
  if (!writes.has(method)) return undefined;
  if (resource === "plugins") return "plugins belong to everybody";
  if (!marked.has(resource)) return undefined;
  if (method === "POST") return "nothing marks an id that the server makes up";
  const id = rest[0] ?? (body !== undefined && "json" in body ? idIn(body.json) : undefined);
  if (id === undefined ? response.status < 400 : !id.startsWith(mark)) return "its id carries no mark";
  if (body !== undefined && "json" in body && refersByNumber(body.json))
    return "it may refer to what others have";
  const uris = body === undefined ? [] : "json" in body ? urisIn(body.json, rest[1]) : urisInText(body.text);
  // A uri without a leading slash matches no request, but for the wildcard.
  const open = uris.find((uri) => (uri.startsWith("/") || uri === "*") && !uri.startsWith(`/${mark}`));
  return open === undefined ? undefined : `its uri ${open} could answer for others`;
}

/** `/apisix/routes/ID` of what a request is about; undefined for lists and whatever is not a resource. */
export function keyOf({ request: { path } }: RecordedExchange): string | undefined {
  const [resource, id] = segmentsOf(path);
  return id === undefined ? undefined : `/apisix/${resource}/${id}`;
}

function segmentsOf(path: string): string[] {
  const [before = ""] = path.split("?");
  return before
    .replace(/^\/apisix\/admin\//, "")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".");
}

/** A number cannot carry a mark. */
function refersByNumber(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  return ["upstream_id", "service_id", "plugin_config_id"].some((field) => typeof body[field] === "number");
}

function idIn(body: unknown): string | undefined {
  if (!isJsonObject(body) || body["id"] === undefined || body["id"] === null) return undefined;
  return String(body["id"]);
}

function urisIn(body: unknown, patched: string | undefined): string[] {
  if (patched === "uri" || patched === "uris") return textsIn(body);
  return isJsonObject(body) ? [...textsIn(body["uri"]), ...textsIn(body["uris"])] : [];
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === "string" ? [value] : [];
}

/** Some texts are not JSON, or only for Lua. */
function urisInText(text: string): string[] {
  return [...text.matchAll(/"uris?"\s*:\s*\[?\s*"([^"]*)"/g)].map(([, uri = ""]) => uri);
}
