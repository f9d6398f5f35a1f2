/** APISIX 3.18's schema of routes, as its `/schema/route` shows it. Descriptions are our own words. */
import type { JsonSchema } from "./json-schema.ts";
import {
  addressForms,
  descSchema,
  hostSchema,
  idSchema,
  labelsSchema,
  methodNames,
  nameSchema,
  pluginsSchema,
  timeSchemas,
  timeoutSchema,
} from "./shared-schemas.ts";
import { upstreamSchema } from "./upstream-schema.ts";

function atMostOneOf(one: string, many: string): JsonSchema {
  return {
    oneOf: [
      { not: { anyOf: [{ required: [one] }, { required: [many] }] } },
      { required: [one] },
      { required: [many] },
    ],
  };
}

export const routeSchema: JsonSchema = {
  type: "object",
  properties: {
    ...timeSchemas,
    id: idSchema,
    name: nameSchema,
    desc: descSchema,
    labels: labelsSchema,
    uri: { type: "string", minLength: 1, maxLength: 4096 },
    uris: {
      type: "array",
      items: { type: "string", description: "path of the request" },
      minItems: 1,
      uniqueItems: true,
    },
    host: hostSchema,
    hosts: { type: "array", items: hostSchema, minItems: 1, uniqueItems: true },
    remote_addr: { type: "string", description: "address of the client", anyOf: addressForms },
    remote_addrs: {
      type: "array",
      items: { type: "string", description: "address of the client", anyOf: addressForms },
      minItems: 1,
      uniqueItems: true,
    },
    methods: {
      type: "array",
      items: { type: "string", description: "method of the request", enum: methodNames },
      uniqueItems: true,
    },
    priority: { type: "integer", default: 0 },
    status: { type: "integer", description: "1: on, 0: off", enum: [1, 0], default: 1 },
    vars: { type: "array" },
    filter_func: { type: "string", minLength: 10, pattern: "^function" },
    script: { type: "string", minLength: 10, maxLength: 102400 },
    script_id: idSchema,
    timeout: timeoutSchema,
    enable_websocket: { type: "boolean", description: "let WebSocket through" },
    plugins: pluginsSchema,
    plugin_config_id: idSchema,
    service_id: idSchema,
    upstream_id: idSchema,
    upstream: upstreamSchema,
  },
  allOf: [
    { oneOf: [{ required: ["uri"] }, { required: ["uris"] }] },
    atMostOneOf("host", "hosts"),
    atMostOneOf("remote_addr", "remote_addrs"),
  ],
  anyOf: [
    { required: ["plugins", "uri"] },
    { required: ["upstream", "uri"] },
    { required: ["upstream_id", "uri"] },
    { required: ["service_id", "uri"] },
    { required: ["plugins", "uris"] },
    { required: ["upstream", "uris"] },
    { required: ["upstream_id", "uris"] },
    { required: ["service_id", "uris"] },
    { required: ["script", "uri"] },
    { required: ["script", "uris"] },
  ],
  not: { anyOf: [{ required: ["script", "plugins"] }, { required: ["script", "plugin_config_id"] }] },
  additionalProperties: false,
};
