/** APISIX 3.18's schema of upstreams, as its `/schema/route` shows it. Descriptions are our own words. */
import type { JsonSchema } from "./json-schema.ts";
import {
  descSchema,
  hostSchema,
  idSchema,
  labelsSchema,
  methodNames,
  nameSchema,
  timeSchemas,
  timeoutSchema,
} from "./shared-schemas.ts";

function threshold(minimum: number, preset: number): JsonSchema {
  return { type: "integer", minimum, maximum: 254, default: preset };
}

function statuses(preset: readonly number[]): JsonSchema {
  return {
    type: "array",
    minItems: 1,
    uniqueItems: true,
    items: { type: "integer", minimum: 200, maximum: 599 },
    default: preset,
  };
}

const checkType: JsonSchema = { type: "string", enum: ["http", "https", "tcp"], default: "http" };
const interval: JsonSchema = { type: "integer", minimum: 1, default: 1 };

const activeCheck: JsonSchema = {
  type: "object",
  properties: {
    type: checkType,
    timeout: { type: "number", default: 1 },
    concurrency: { type: "integer", default: 10 },
    host: hostSchema,
    port: { type: "integer", minimum: 1, maximum: 65535 },
    http_method: { type: "string", enum: methodNames, default: "GET" },
    http_path: { type: "string", default: "/" },
    http_req_body: { type: "string", default: "" },
    https_verify_certificate: { type: "boolean", default: true },
    req_headers: { type: "array", minItems: 1, items: { type: "string", uniqueItems: true } },
    healthy: {
      type: "object",
      properties: { interval, http_statuses: statuses([200, 302]), successes: threshold(1, 2) },
    },
    unhealthy: {
      type: "object",
      properties: {
        interval,
        http_statuses: statuses([429, 404, 500, 501, 502, 503, 504, 505]),
        http_failures: threshold(1, 5),
        tcp_failures: threshold(1, 2),
        timeouts: threshold(1, 3),
      },
    },
  },
};

const fineStatuses = [
  200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302, 303, 304, 305, 306, 307, 308,
];

const passiveCheck: JsonSchema = {
  type: "object",
  properties: {
    type: checkType,
    healthy: {
      type: "object",
      properties: { http_statuses: statuses(fineStatuses), successes: threshold(0, 5) },
    },
    unhealthy: {
      type: "object",
      properties: {
        http_statuses: statuses([429, 500, 503]),
        http_failures: threshold(0, 5),
        tcp_failures: threshold(0, 2),
        timeouts: threshold(0, 7),
      },
    },
  },
};

const weight: JsonSchema = { type: "integer", description: "share of the traffic", minimum: 0 };

const nodesSchema: JsonSchema = {
  anyOf: [
    { type: "object", patternProperties: { ".*": weight } },
    {
      type: "array",
      items: {
        type: "object",
        properties: {
          host: hostSchema,
          port: { type: "integer", description: "port", minimum: 1, maximum: 65535 },
          weight,
          priority: { type: "integer", description: "order among nodes", default: 0 },
          metadata: { type: "object", description: "free data" },
        },
        required: ["host", "weight"],
      },
    },
  ],
};

const tlsSchema: JsonSchema = {
  type: "object",
  properties: {
    client_cert_id: idSchema,
    client_cert: { type: "string", minLength: 128, maxLength: 65536 },
    client_key: { type: "string", minLength: 64, maxLength: 65536 },
    verify: { type: "boolean", description: "check the server's certificate (Kafka only)", default: false },
  },
  dependencies: {
    client_cert: { required: ["client_key"] },
    client_key: { required: ["client_cert"] },
    client_cert_id: { not: { required: ["client_cert", "client_key"] } },
  },
};

export const upstreamSchema: JsonSchema = {
  type: "object",
  properties: {
    ...timeSchemas,
    id: idSchema,
    name: nameSchema,
    desc: descSchema,
    labels: labelsSchema,
    nodes: nodesSchema,
    type: { type: "string", description: "balancing algorithm", default: "roundrobin" },
    hash_on: {
      type: "string",
      enum: ["vars", "header", "cookie", "consumer", "vars_combinations"],
      default: "vars",
    },
    key: { type: "string", description: "what chash hashes" },
    scheme: {
      description: "protocol spoken to the nodes",
      enum: ["grpc", "grpcs", "http", "https", "tcp", "tls", "udp", "kafka"],
      default: "http",
    },
    pass_host: {
      type: "string",
      description: "which Host the nodes see",
      enum: ["pass", "node", "rewrite"],
      default: "pass",
    },
    upstream_host: hostSchema,
    retries: { type: "integer", minimum: 0 },
    retry_timeout: { type: "number", minimum: 0 },
    timeout: timeoutSchema,
    keepalive_pool: {
      type: "object",
      properties: {
        size: { type: "integer", minimum: 1, default: 320 },
        idle_timeout: { type: "number", minimum: 0, default: 60 },
        requests: { type: "integer", minimum: 1, default: 1000 },
      },
    },
    checks: {
      type: "object",
      properties: { active: activeCheck, passive: passiveCheck },
      anyOf: [{ required: ["active"] }, { required: ["active", "passive"] }],
    },
    tls: tlsSchema,
    service_name: { type: "string", minLength: 1, maxLength: 256 },
    discovery_type: { type: "string", description: "service registry" },
    discovery_args: {
      type: "object",
      properties: {
        namespace_id: { type: "string", description: "namespace" },
        group_name: { type: "string", description: "group" },
      },
    },
  },
  oneOf: [{ required: ["nodes"] }, { required: ["service_name", "discovery_type"] }],
  additionalProperties: false,
};
