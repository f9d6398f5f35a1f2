/** Parts that several APISIX 3.18 resource schemas share. Descriptions are our own words; everything else is as recorded. */
import type { JsonSchema } from "./json-schema.ts";

const hostPattern = "^\\*$|^\\*?[0-9a-zA-Z-._\\[\\]:]+$";

export const idSchema: JsonSchema = {
  anyOf: [
    { type: "string", minLength: 1, maxLength: 64, pattern: "^[a-zA-Z0-9-_.]+$" },
    { type: "integer", minimum: 1 },
  ],
};

export const nameSchema: JsonSchema = { type: "string", minLength: 1, maxLength: 256 };
export const descSchema: JsonSchema = { type: "string", maxLength: 256 };
export const hostSchema: JsonSchema = { type: "string", pattern: hostPattern };
export const pluginsSchema: JsonSchema = { type: "object" };

export const labelsSchema: JsonSchema = {
  type: "object",
  description: "attributes as key and value",
  patternProperties: {
    ".*": { type: "string", description: "a label's value", minLength: 1, maxLength: 256, pattern: "^\\S+$" },
  },
};

const seconds: JsonSchema = { type: "number", exclusiveMinimum: 0 };

export const timeoutSchema: JsonSchema = {
  type: "object",
  properties: { connect: seconds, send: seconds, read: seconds },
  required: ["connect", "send", "read"],
};

export const timeSchemas: Readonly<Record<string, JsonSchema>> = {
  create_time: { type: "integer" },
  update_time: { type: "integer" },
};

export const methodNames = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "HEAD",
  "OPTIONS",
  "CONNECT",
  "TRACE",
  "PURGE",
] as const;

const octet = "([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])";

export const addressForms: readonly JsonSchema[] = [
  { title: "IPv4", type: "string", format: "ipv4" },
  {
    title: "IPv4/CIDR",
    type: "string",
    pattern: `^${octet}\\.${octet}\\.${octet}\\.${octet}/([12]?[0-9]|3[0-2])$`,
  },
  { title: "IPv6", type: "string", format: "ipv6" },
  {
    title: "IPv6/CIDR",
    type: "string",
    pattern: "^([a-fA-F0-9]{0,4}:){1,8}(:[a-fA-F0-9]{0,4}){0,8}([a-fA-F0-9]{0,4})?/[0-9]{1,3}$",
  },
];
