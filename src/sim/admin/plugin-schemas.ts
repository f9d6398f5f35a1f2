/**
 * The plugins that the recorded APISIX had switched on, and the configuration schemas of the few that are checked here.
 * A plugin without a schema accepts any object (see test/contract/DIFFERENCES.md).
 */
import { compileSchema, isJsonObject, type Check, type JsonObject, type JsonSchema } from "./json-schema.ts";
import { idSchema } from "./shared-schemas.ts";
import { upstreamSchema } from "./upstream-schema.ts";

/** In order of priority, as `GET /plugins/list` answers. */
export const httpPlugins: readonly string[] =
  `real-ip client-control proxy-control request-id fault-injection serverless-pre-function cors ip-restriction
   ua-restriction referer-restriction uri-blocker request-validation basic-auth key-auth consumer-restriction
   forward-auth proxy-cache proxy-mirror proxy-rewrite api-breaker limit-conn limit-count limit-req gzip
   traffic-split redirect response-rewrite public-api prometheus echo http-logger tcp-logger
   serverless-post-function`.split(/\s+/);

export const streamPlugins: readonly string[] = ["ip-restriction", "limit-conn", "traffic-split"];

const metaSchema: JsonSchema = {
  type: "object",
  properties: {
    disable: { type: "boolean" },
    error_response: { oneOf: [{ type: "string" }, { type: "object" }] },
    priority: { type: "integer", description: "order of execution" },
    filter: { type: "array", description: "condition to run at all" },
    pre_function: { type: "string", description: "Lua to run first" },
  },
  additionalProperties: false,
};

function pluginSchema(schema: JsonSchema): JsonSchema {
  return {
    $comment: "with what every plugin takes",
    type: "object",
    ...schema,
    properties: { ...schema.properties, _meta: metaSchema },
  };
}

const headerName = "^[^:]+$";
const headerValue: readonly JsonSchema[] = [{ type: "string" }, { type: "number" }];
const headerValues: JsonSchema = {
  type: "object",
  minProperties: 1,
  patternProperties: {
    [headerName]: {
      oneOf: [...headerValue, { type: "array", minItems: 1, items: { oneOf: headerValue } }],
    },
  },
};

const proxyRewrite: JsonSchema = {
  minProperties: 1,
  properties: {
    uri: { type: "string", description: "new path", minLength: 1, maxLength: 4096, pattern: "^\\/.*" },
    method: {
      type: "string",
      description: "new method",
      enum: "GET HEAD POST PUT DELETE MKCOL COPY MOVE OPTIONS PROPFIND LOCK UNLOCK PATCH TRACE".split(" "),
    },
    regex_uri: {
      type: "array",
      description: "expression and replacement",
      minItems: 2,
      items: { type: "string", description: "expression" },
    },
    host: { type: "string", description: "new host", pattern: "^[0-9a-zA-Z-.]+(:\\d{1,5})?$" },
    headers: {
      description: "changed headers",
      oneOf: [
        {
          type: "object",
          minProperties: 1,
          additionalProperties: false,
          properties: {
            add: headerValues,
            set: headerValues,
            remove: { type: "array", minItems: 1, items: { type: "string", pattern: headerName } },
          },
        },
        { type: "object", minProperties: 1, patternProperties: { [headerName]: { oneOf: headerValue } } },
      ],
    },
    use_real_request_uri_unsafe: { type: "boolean", description: "not normalised: unsafe", default: false },
  },
};

const countOrVariable: JsonSchema = { oneOf: [{ type: "integer", exclusiveMinimum: 0 }, { type: "string" }] };

const limitCount: JsonSchema = {
  properties: {
    count: countOrVariable,
    time_window: countOrVariable,
    key: { type: "string", default: "remote_addr" },
    rejected_code: { type: "integer", minimum: 200, maximum: 599, default: 503 },
  },
};

const redirect: JsonSchema = {
  properties: {
    ret_code: { type: "integer", minimum: 200, default: 302 },
    uri: { type: "string", minLength: 2, pattern: "(\\$\\{[0-9a-zA-Z_]+\\})|(\\$[0-9a-zA-Z_]+)|(.+)" },
    regex_uri: { type: "array", minItems: 2, items: { type: "string" } },
    http_to_https: { type: "boolean" },
  },
  oneOf: [{ required: ["uri"] }, { required: ["regex_uri"] }, { required: ["http_to_https"] }],
};

const trafficSplit: JsonSchema = {
  properties: {
    rules: {
      type: "array",
      items: {
        type: "object",
        properties: {
          match: { type: "array" },
          weighted_upstreams: {
            type: "array",
            minItems: 1,
            items: {
              type: "object",
              properties: {
                upstream_id: idSchema,
                weight: { type: "integer", minimum: 0, default: 1 },
                upstream: upstreamSchema,
              },
            },
          },
        },
      },
    },
  },
};

const checkedPlugins: Readonly<Record<string, JsonSchema>> = {
  "proxy-rewrite": proxyRewrite,
  "limit-count": limitCount,
  redirect,
  "traffic-split": trafficSplit,
};

const schemas = new Map<string, JsonSchema>(
  httpPlugins.map((name) => [name, pluginSchema(checkedPlugins[name] ?? {})]),
);
const checks = new Map<string, Check>([...schemas].map(([name, schema]) => [name, compileSchema(schema)]));

/** The schema of one HTTP plugin; `undefined` when it is not switched on. */
export function schemaOfPlugin(name: string): JsonSchema | undefined {
  return schemas.get(name);
}

/** What is wrong with the `plugins` of a resource, as the Admin API words it. */
export function pluginsProblem(plugins: JsonObject): string | undefined {
  for (const [name, conf] of Object.entries(plugins)) {
    const check = checks.get(name);
    if (!isJsonObject(conf) && !Array.isArray(conf)) {
      return `invalid plugin conf ${String(conf)} for plugin [${name}]`;
    }
    if (check === undefined) return `unknown plugin [${name}]`;
    const problem = check(conf);
    if (problem !== undefined) return `failed to check the configuration of plugin ${name} err: ${problem}`;
  }
  return undefined;
}
