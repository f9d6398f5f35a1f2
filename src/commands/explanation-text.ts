import type { Explanation } from "./explanation.ts";

/** What `/explain` says of one declaration, for people: one sentence, then what stands in APISIX. Ends with a newline. */
export function explanationText(declaration: Explanation): string {
  const word = (key: string): string => printable(declaration[key]);
  const object = `${word("cluster")}/${word("namespace")}/${word("kind")}/${word("name")}`;
  const route = word("route") === "" ? "" : `, route ${word("route")}`;
  const why = word("reason") === "" ? "" : `: ${word("reason")}`;
  const details = [
    ["for", pairs(declaration["hosts"], declaration["uris"])],
    ["nodes", nodes(declaration["nodes"])],
    ["id", word("id")],
    ["last write", lastWrite(declaration["lastWrite"])],
  ].filter(([, text]) => text !== "");
  const lines = details.map(([label, text]) => `  ${`${label}:`.padEnd(12)}${text}\n`);
  return `${object}${route} is ${word("state")}${why}\n${lines.join("")}`;
}

/** A route that is not ours: nothing of it is known but what it matches. Ends with a newline. */
export function foreignText(route: Explanation): string {
  return `the foreign route ${printable(route["id"])} stands on ${shortened(items(route["pairs"]).map(printable))}\n`;
}

function pairs(hosts: unknown, uris: unknown): string {
  const all = items(hosts).flatMap((host) => items(uris).map((uri) => `${printable(host)}${printable(uri)}`));
  return shortened(all);
}

function nodes(value: unknown): string {
  if (!Array.isArray(value)) return printable(value);
  return value.length === 0 ? "none" : shortened(items(value).map(node));
}

function node(value: unknown): string {
  if (typeof value !== "object" || value === null) return printable(value);
  const host = "host" in value ? printable(value.host) : "";
  const port = "port" in value ? printable(value.port) : "";
  return `${host}:${port}`;
}

function lastWrite(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const resource = "resource" in value ? printable(value.resource) : "";
  const status = "status" in value ? printable(value.status) : "";
  const at = "at" in value ? printable(value.at) : "";
  return `${resource}, APISIX answered ${status}, at ${at}`;
}

const mostShown = 20;

function shortened(all: readonly string[]): string {
  const more = all.length - mostShown;
  return all.slice(0, mostShown).join(" ") + (more > 0 ? ` and ${more} more` : "");
}

const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What came over the network may act on a terminal. */
function printable(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\u{fffd}") : "";
}
