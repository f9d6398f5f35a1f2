/** What APISIX checks beyond its schemas. The order of the checks is the recorded one. */
import { X509Certificate } from "node:crypto";
import { isJsonObject, type JsonObject } from "./json-schema.ts";
import { varsProblem } from "./vars-expression.ts";

const hashVariable =
  /^((uri|server_name|server_addr|request_uri|remote_port|remote_addr|query_string|host|hostname|mqtt_client_id)|arg_[0-9a-zA-z_-]+)$/;
const hashHeader = /^[a-zA-Z0-9-_]+$/;

/**
 * Nodes of a type that APISIX walks before its schema has spoken: it answers with a page of nginx and status 500.
 */
export function crashesApisix(value: JsonObject): boolean {
  return "nodes" in value && (value["nodes"] === null || typeof value["nodes"] !== "object");
}

export function upstreamProblem(upstream: JsonObject): string | undefined {
  if (upstream["pass_host"] === "rewrite" && !upstream["upstream_host"]) {
    return "`upstream_host` can't be empty when `pass_host` is `rewrite`";
  }
  return nodesProblem(upstream["nodes"]) ?? hashProblem(upstream);
}

function nodesProblem(nodes: unknown): string | undefined {
  if (Array.isArray(nodes)) {
    for (const node of nodes) {
      const host: unknown = isJsonObject(node) ? node["host"] : undefined;
      if (typeof host === "string" && bareIpv6(host)) {
        return "invalid configuration: IPv6 address must be enclosed with '[' and ']'";
      }
    }
    return undefined;
  }
  if (!isJsonObject(nodes)) return undefined;
  for (const address of Object.keys(nodes)) {
    const port = /:(\d+)$/.exec(address)?.[1];
    if (port !== undefined && (Number(port) < 1 || Number(port) > 65535)) return `invalid port ${port}`;
  }
  return undefined;
}

function bareIpv6(host: string): boolean {
  return !host.startsWith("[") && host.indexOf(":") !== host.lastIndexOf(":");
}

function hashProblem(upstream: JsonObject): string | undefined {
  if (upstream["type"] !== "chash") return undefined;
  const on = upstream["hash_on"] ?? "vars";
  const key = upstream["key"];
  if (on === "consumer" || on === "vars_combinations") return undefined;
  if (typeof key !== "string") return "missing key";
  const pattern = on === "vars" ? hashVariable : hashHeader;
  return pattern.test(key) ? undefined : `invalid configuration: failed to match pattern with "${key}"`;
}

export function routeProblem(route: JsonObject): string | undefined {
  if ("host" in route && "hosts" in route) return "only one of host or hosts is allowed";
  const { upstream, vars, filter_func: filter } = route;
  return (
    (isJsonObject(upstream) ? upstreamProblem(upstream) : undefined) ??
    (vars === undefined ? undefined : varsProblem(vars)) ??
    (typeof filter === "string" ? filterProblem(filter) : undefined)
  );
}

/** Lua is not parsed here: only what cannot be a function is refused. */
function filterProblem(source: string): string | undefined {
  return /^function\s*\([^)]*\)[^!]*\bend\s*$/.test(source)
    ? undefined
    : "failed to load 'filter_func' string";
}

export function sslProblem(ssl: JsonObject): string | undefined {
  const { cert } = ssl;
  if (typeof cert !== "string") return undefined;
  try {
    void new X509Certificate(cert);
    return undefined;
  } catch {
    return "failed to parse cert: PEM_read_bio_X509_AUX() failed";
  }
}
