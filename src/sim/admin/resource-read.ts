/** GET of one object or of a list. */
import type { AdminEntry, AdminStore } from "./admin-store.ts";
import { etcdRefusal, noEtcd, notFound, resourceReply, type AdminReply } from "./admin-reply.ts";
import { isJsonObject, type JsonObject } from "./json-schema.ts";
import type { Target } from "./resource-write.ts";

export function getResource(
  store: AdminStore,
  etcdUp: boolean,
  target: Target,
  query: URLSearchParams,
): AdminReply {
  if (!etcdUp) return etcdRefusal(503, noEtcd);
  if (target.id !== undefined) {
    const entry = store.get(target.collection, target.id);
    return entry === undefined ? notFound : resourceReply(200, textOf(entry));
  }
  return listReply(store.list(target.collection), query);
}

function textOf(entry: AdminEntry): string {
  return `{"value":${entry.json},"key":${JSON.stringify(entry.key)},"modifiedIndex":${entry.modifiedIndex},"createdIndex":${entry.createdIndex}}`;
}

function listReply(all: readonly AdminEntry[], query: URLSearchParams): AdminReply {
  const entries = filtered(all, query);
  const page = wholeOrPage(query);
  if (page === "whole") {
    return resourceReply(200, `{"list":[${entries.map(textOf).join(",")}],"total":${entries.length}}`);
  }
  if (page === undefined) return resourceReply(400, "page_size must be between 10 and 500");
  const from = Math.floor((page.number - 1) * page.size);
  const shown = entries.toSorted((a, b) => a.createdIndex - b.createdIndex).slice(from, from + page.size);
  // Recorded: past the last page the list is an empty Lua table, and that is an object.
  const list = shown.length === 0 ? "{}" : `[${shown.map(textOf).join(",")}]`;
  return resourceReply(200, `{"list":${list},"total":${entries.length}}`);
}

interface Page {
  /** From 1; may have a fraction. */
  readonly number: number;
  readonly size: number;
}

/** @returns `undefined` for a size that is refused. */
function wholeOrPage(query: URLSearchParams): Page | "whole" | undefined {
  const number = numberOf(query.get("page"));
  const size = numberOf(query.get("page_size"));
  if (number === undefined || size === undefined) return "whole";
  if (size < 10 || size > 500) return undefined;
  return { number: Math.max(1, number), size };
}

function numberOf(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

type Keep = (value: JsonObject) => boolean;

function filtered(all: readonly AdminEntry[], query: URLSearchParams): readonly AdminEntry[] {
  const keeps = [labelFilter(query), nameFilter(query), uriFilter(query), referenceFilter(query)].filter(
    (keep) => keep !== undefined,
  );
  if (keeps.length === 0) return all;
  return all.filter(({ value }) => keeps.every((keep) => keep(value)));
}

/** Matches a label's key, never its value. */
function labelFilter(query: URLSearchParams): Keep | undefined {
  const label = query.get("label");
  if (!label) return undefined;
  return ({ labels }) => isJsonObject(labels) && Object.hasOwn(labels, label);
}

function nameFilter(query: URLSearchParams): Keep | undefined {
  const name = query.get("name");
  if (!name) return undefined;
  const expression = expressionOf(name);
  return (value) => typeof value["name"] === "string" && expression?.test(value["name"]) === true;
}

function uriFilter(query: URLSearchParams): Keep | undefined {
  const uri = query.get("uri");
  if (!uri) return undefined;
  const expression = expressionOf(uri);
  return (value) => {
    const { uris } = value;
    const all: readonly unknown[] = Array.isArray(uris) ? uris : [value["uri"]];
    return all.some((each) => typeof each === "string" && expression?.test(each) === true);
  };
}

/** `filter=upstream_id%3Dx`: only references can be asked for, other fields are ignored. */
function referenceFilter(query: URLSearchParams): Keep | undefined {
  const wanted = [...new URLSearchParams(query.get("filter") ?? "")].filter(
    ([field]) => field === "upstream_id" || field === "service_id",
  );
  if (wanted.length === 0) return undefined;
  return (value) => wanted.every(([field, id]) => value[field] !== undefined && String(value[field]) === id);
}

const maxExpression = 256;

/** `undefined`, which matches nothing, for what is no regular expression, or too long to be tried. */
function expressionOf(text: string): RegExp | undefined {
  if (text.length > maxExpression) return undefined;
  try {
    return new RegExp(text);
  } catch {
    return undefined;
  }
}
