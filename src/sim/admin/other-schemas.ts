/** Schemas of the resources that the product never writes; as strict as the recorded exchanges need. */
import type { JsonSchema } from "./json-schema.ts";
import {
  addressForms,
  descSchema,
  hostSchema,
  idSchema,
  labelsSchema,
  nameSchema,
  pluginsSchema,
  timeSchemas,
} from "./shared-schemas.ts";
import { upstreamSchema } from "./upstream-schema.ts";

const described = { ...timeSchemas, id: idSchema, name: nameSchema, desc: descSchema, labels: labelsSchema };

export const serviceSchema: JsonSchema = {
  type: "object",
  properties: {
    ...described,
    plugins: pluginsSchema,
    upstream: upstreamSchema,
    upstream_id: idSchema,
    script: { type: "string", minLength: 10, maxLength: 102400 },
    enable_websocket: { type: "boolean" },
    hosts: { type: "array", items: hostSchema, minItems: 1, uniqueItems: true },
  },
  additionalProperties: false,
};

export const streamRouteSchema: JsonSchema = {
  type: "object",
  properties: {
    ...described,
    remote_addr: { type: "string", anyOf: addressForms },
    server_addr: { type: "string", anyOf: addressForms },
    server_port: { type: "integer", minimum: 1 },
    sni: hostSchema,
    upstream: upstreamSchema,
    upstream_id: idSchema,
    service_id: idSchema,
    plugins: pluginsSchema,
    protocol: { type: "object" },
  },
  additionalProperties: false,
};

const pem: JsonSchema = { type: "string", minLength: 128, maxLength: 65536 };
/** Recorded keys are redacted, so a key is neither measured nor parsed. */
const privateKey: JsonSchema = { type: "string", minLength: 1, maxLength: 65536 };

export const sslSchema: JsonSchema = {
  type: "object",
  properties: {
    ...described,
    type: { type: "string", enum: ["server", "client"], default: "server" },
    cert: pem,
    key: privateKey,
    certs: { type: "array", items: pem },
    keys: { type: "array", items: privateKey },
    sni: hostSchema,
    snis: { type: "array", items: hostSchema, minItems: 1 },
    client: { type: "object" },
    status: { type: "integer", enum: [1, 0], default: 1 },
    ssl_protocols: { type: "array", items: { type: "string", enum: ["TLSv1.1", "TLSv1.2", "TLSv1.3"] } },
  },
  anyOf: [
    { required: ["type"], properties: { type: { enum: ["client"] } } },
    { required: ["cert", "key"], anyOf: [{ required: ["sni"] }, { required: ["snis"] }] },
  ],
  additionalProperties: false,
};

export const pluginConfigSchema: JsonSchema = {
  type: "object",
  properties: { ...described, plugins: pluginsSchema },
  required: ["plugins"],
  additionalProperties: false,
};

export const globalRuleSchema: JsonSchema = {
  type: "object",
  properties: { ...timeSchemas, id: idSchema, plugins: pluginsSchema },
  required: ["plugins"],
  additionalProperties: false,
};

export const consumerSchema: JsonSchema = {
  type: "object",
  properties: {
    ...timeSchemas,
    username: { type: "string", minLength: 1, maxLength: 256, pattern: "^[a-zA-Z0-9_\\-]+$" },
    group_id: idSchema,
    desc: descSchema,
    labels: labelsSchema,
    plugins: pluginsSchema,
  },
  required: ["username"],
  additionalProperties: false,
};

export const credentialSchema: JsonSchema = {
  type: "object",
  properties: { ...described, plugins: { type: "object" } },
  additionalProperties: false,
};

export const protoSchema: JsonSchema = {
  type: "object",
  properties: { ...described, content: { type: "string", minLength: 1, maxLength: 1048576 } },
  required: ["content"],
  additionalProperties: false,
};

export const pluginMetadataSchema: JsonSchema = { type: "object" };
export const secretSchema: JsonSchema = { type: "object" };
