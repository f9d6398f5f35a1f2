/** What APISIX answers beside its resources: plugins, schemas, validation without writing, and the status of its other ports. */
import type { AdminPath } from "./admin-path.ts";
import {
  htmlReply,
  plainRefusal,
  plainReply,
  refusal,
  resourceReply,
  textReply,
  type AdminReply,
} from "./admin-reply.ts";
import { isJsonObject, type JsonObject } from "./json-schema.ts";
import { httpPlugins, pluginsProblem, schemaOfPlugin, streamPlugins } from "./plugin-schemas.ts";
import { bodyProblem } from "./resource-check.ts";
import { kindNamed, kindOfSchema } from "./resource-kinds.ts";

interface ExtraRequest {
  readonly request: { readonly method: string };
  readonly path: AdminPath;
  readonly body: unknown;
}

/** @returns `undefined` where the path is none of these. */
export function answerExtra(asked: ExtraRequest): AdminReply | undefined {
  const [first, second, third] = asked.path.segments;
  const { method } = asked.request;
  if (!asked.path.admin) return otherPort(first, second);
  if (first === "plugins") return plugins(method, second, asked.path.query);
  if (first === "schema" && second === "validate") return validateOne(third, asked.body);
  if (first === "schema") {
    const kind = kindOfSchema(second ?? "");
    return kind === undefined
      ? refusal(400, "not found schema")
      : resourceReply(200, JSON.stringify(kind.schema));
  }
  if (first === "configs" && second === "validate" && method === "POST") return validateAll(asked.body);
  return undefined;
}

/** The status and control APIs listen elsewhere in APISIX; here they share the port (see DIFFERENCES.md). */
function otherPort(first: string | undefined, second: string | undefined): AdminReply | undefined {
  if (first === "status" && (second === undefined || second === "ready")) {
    return textReply(200, '{"status":"ok"}', "openresty");
  }
  if (first === "v1" && ["healthcheck", "routes", "upstreams"].includes(second ?? "")) {
    return { status: 200, headers: { "content-type": "application/json", server: "openresty" }, body: "{}" };
  }
  return undefined;
}

function plugins(method: string, name: string | undefined, query: URLSearchParams): AdminReply {
  if (name === "list") {
    return plainReply(200, JSON.stringify(query.get("subsystem") === "stream" ? streamPlugins : httpPlugins));
  }
  if (name === "reload") {
    if (method === "PUT") return plainReply(200, "done");
    const message = `please use PUT method to reload the plugins, ${method} method is not allowed.`;
    return plainRefusal(405, message);
  }
  if (name === undefined) return htmlReply(404, "Not Found");
  const schema = schemaOfPlugin(name);
  return schema === undefined
    ? refusal(404, "plugin not found in subsystem http")
    : resourceReply(200, JSON.stringify(schema));
}

function validateOne(name: string | undefined, body: unknown): AdminReply {
  const kind = kindNamed(name ?? "");
  if (kind === undefined) return plainRefusal(400, `Unsupported resource type: ${name ?? ""}`);
  const problem = kind.check(body);
  return problem === undefined ? plainReply(200, "") : plainRefusal(400, problem);
}

interface ConfigError {
  readonly resource_type: string;
  readonly index: number;
  readonly resource_id?: unknown;
  readonly error: string;
}

/** Looks at bodies and at ids given twice, not at references; sections of an unknown name are ignored (recorded). */
function validateAll(body: unknown): AdminReply {
  if (!isJsonObject(body)) return plainRefusal(400, "invalid configuration");
  const errors = Object.entries(body).flatMap(([section, items]) =>
    kindNamed(section) !== undefined && Array.isArray(items) ? sectionErrors(section, items) : [],
  );
  if (errors.length === 0) return plainReply(200, "{}");
  return plainReply(400, JSON.stringify({ error_msg: "Configuration validation failed", errors }));
}

function sectionErrors(section: string, items: readonly unknown[]): ConfigError[] {
  const seen = new Set<string>();
  const errors: ConfigError[] = [];
  for (const [index, item] of items.entries()) {
    const error = isJsonObject(item) ? itemError(section, item, seen) : "invalid configuration";
    if (error === undefined) continue;
    errors.push({
      resource_type: section,
      index,
      resource_id: isJsonObject(item) ? item["id"] : undefined,
      error,
    });
  }
  return errors;
}

function itemError(section: string, item: JsonObject, seen: Set<string>): string | undefined {
  const id = String(item["id"]);
  const known = seen.has(id);
  seen.add(id);
  const kind = kindNamed(section);
  const { plugins: configured } = item;
  return (
    (kind && bodyProblem(kind, item)) ??
    (isJsonObject(configured) ? pluginsProblem(configured) : undefined) ??
    (known ? `found duplicate id ${id} in ${section}` : undefined)
  );
}
