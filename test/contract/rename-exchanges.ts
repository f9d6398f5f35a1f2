/**
 * The same exchanges with other ids, names and values: an Admin API that gave canned answers would be found out.
 *
 * Letters are exchanged one for another (lengths, prefixes, equalities and what a pattern accepts stay), small numbers move up by one. What
 * belongs to APISIX's own vocabulary (field names, plugins, enumerations) is left alone.
 */
import type { Random } from "../../src/runtime.ts";
import { isJsonObject } from "../../src/sim/admin/json-schema.ts";
import type { RecordedExchange } from "./recorded-exchanges.ts";

/** Fields whose texts are the user's. */
const userFields = new Set(
  `id upstream_id service_id plugin_config_id resource_id username name desc uri uris host hosts snis upstream_host
   service_name http_path metadata foo log_format`.split(/\s+/),
);
const idFields = new Set("id upstream_id service_id plugin_config_id resource_id username".split(" "));
const numberFields = new Set(
  "port weight priority retries count time_window rejected_code server_port".split(" "),
);
const collections = new Set(
  "upstreams routes services stream_routes ssls plugin_configs global_rules consumers credentials".split(" "),
);

/** A text and the field (or the query's argument) that holds it; `id` for an id in a path. */
export type Naming = (text: string, field: string) => string;

/** A seeded exchange of letters; upper and lower case go together. */
export function shuffledLetters(random: Random): Naming {
  const from = "abcdefghijklmnopqrstuvwxyz";
  const to = [...from];
  for (let at = to.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [to[at], to[other]] = [to[other] ?? "", to[at] ?? ""];
  }
  const table = new Map([...from].map((letter, at) => [letter, to[at] ?? letter]));
  return (text) =>
    text.replace(/%[0-9a-fA-F]{2}|[a-zA-Z]/g, (part) => {
      const low = table.get(part.toLowerCase());
      if (low === undefined) return part;
      return part === part.toLowerCase() ? low : low.toUpperCase();
    });
}

/** A text keeps its length where a prefix could carry it over a limit. */
const longest = 40;
const madeUpId = /^\d{20}$/;
const address = /^[\d.:[\]]*$/;

/**
 * Ids, names, hosts and uris that carry a mark, for an APISIX that is in use: `MARKr1`, `/MARKa`, `*.MARKb.test`. Texts that
 * name nothing (`*`, addresses, ids that a server made up) stay.
 */
export function markedNames(mark: string): Naming {
  const marked = (text: string): string => mark + (text.length > longest ? text.slice(mark.length) : text);
  return (text, field) => {
    if (text === "" || field === "labels" || field === "desc") return text;
    if (idFields.has(field)) return madeUpId.test(text) ? text : marked(text);
    if (address.test(text)) return text;
    const [, before = "", rest = ""] = /^(%5E)?(\/|\*\.?)?/.exec(text) ?? [];
    const start = before + rest;
    const name = text.slice(start.length);
    return /^[a-zA-Z\d*]/.test(name) ? start + marked(name) : text;
  };
}

export function renameExchange(exchange: RecordedExchange, naming: Naming): RecordedExchange {
  const { request, response } = exchange;
  const path = renamePath(request.path, naming);
  const field = patchedField(request.method, request.path);
  const { body } = request;
  const renamedBody =
    body === undefined
      ? undefined
      : "text" in body
        ? { text: renameText(body.text, field, naming) }
        : { json: renameValue(body.json, field, naming) };
  const vocabulary = /\/(plugins|schema|plugin_metadata)\b/.test(request.path);
  return {
    ...exchange,
    request: { ...request, path, body: renamedBody },
    response: {
      ...response,
      body: vocabulary ? response.body : renameAnswer(response.body, request.path, naming),
    },
  };
}

/** PATCH under a field sends that field's value alone. */
function patchedField(method: string, path: string): string | undefined {
  const [, , , , , field, below] = (path.split("?")[0] ?? "").split("/");
  if (method !== "PATCH") return undefined;
  return field === "labels" && below !== undefined ? "desc" : field;
}

function renamePath(path: string, naming: Naming): string {
  const [before = "", query] = path.split("?");
  const segments = before.split("/");
  const renamed = segments.map((segment, at) => {
    const previous = segments.slice(0, at).findLast((each) => each !== "");
    const label = segments[at - 1] === "labels";
    return label ||
      (previous !== undefined && collections.has(previous) && segment !== "credentials" && segment !== "..")
      ? naming(segment, label ? "labels" : "id")
      : segment;
  });
  return query === undefined ? renamed.join("/") : `${renamed.join("/")}?${renameQuery(query, naming)}`;
}

function renameQuery(query: string, naming: Naming): string {
  const renamed = query.split("&").map((part) => {
    const [name = "", value = ""] = part.split("=");
    if (["name", "uri", "label"].includes(name))
      return `${name}=${naming(value, name === "label" ? "labels" : name)}`;
    const [, field = "", filter = ""] = /^(.*)%3D(.*)$/.exec(value) ?? [];
    return name === "filter" ? `${name}=${field}%3D${naming(filter, field)}` : part;
  });
  return renamed.join("&");
}

/** Raw bodies are renamed by field, for some are not JSON. */
function renameText(text: string, field: string | undefined, naming: Naming): string {
  if (field !== undefined)
    return userFields.has(field) ? text.replace(/"[^"]*"/, (quoted) => naming(quoted, field)) : text;
  return text.replace(/"(\w+)":"([^"]*)"/g, (whole, name: string, value: string) =>
    userFields.has(name) ? `"${name}":"${naming(value, name)}"` : whole,
  );
}

function renameValue(value: unknown, field: string | undefined, naming: Naming): unknown {
  if (typeof value === "string")
    return field !== undefined && userFields.has(field) ? naming(value, field) : value;
  if (typeof value === "number") return renameNumber(value, field);
  if (Array.isArray(value)) return value.map((item: unknown) => renameValue(item, field, naming));
  if (!isJsonObject(value)) return value;
  const free = field === "labels" || field === "metadata";
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) =>
      free && typeof below === "string"
        ? [naming(name, field), naming(below, field)]
        : free
          ? [naming(name, field), below]
          : [name, renameValue(below, name, naming)],
    ),
  );
}

function renameNumber(value: number, field: string | undefined): number {
  const moves =
    field !== undefined && numberFields.has(field) && Number.isInteger(value) && value > 1 && value < 60_000;
  return moves ? value + 1 : value;
}

function renameAnswer(body: unknown, path: string, naming: Naming): unknown {
  if (typeof body === "string" || !isJsonObject(body)) return body;
  const renamed = Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (name === "key" && typeof value === "string") return [name, renamePath(value, naming)];
      if (name === "req_body" && typeof value === "string")
        return [name, renameText(value, undefined, naming)];
      if (name === "list" && Array.isArray(value)) return [name, renameList(value, path, naming)];
      return [name, renameValue(value, name, naming)];
    }),
  );
  return renamed;
}

/** Without paging a list is in the order of its keys, and those have changed. */
function renameList(list: readonly unknown[], path: string, naming: Naming): unknown {
  const items = list.map((item) => renameAnswer(item, path, naming));
  if (/[?&]page=[\d.-]+&page_size=/.test(path)) return items;
  const keyOf = (item: unknown) => (isJsonObject(item) ? String(item["key"]) : "");
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
