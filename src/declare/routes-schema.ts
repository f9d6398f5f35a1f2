import { maxEntries } from "./read-annotation.ts";
import type { FieldName } from "./read-declaration.ts";
import {
  readName,
  readPriority,
  readProtocol,
  readRetries,
  readScheme,
  readShare,
  readVia,
} from "./read-declaration.ts";
import { readPlugins } from "./read-plugins.ts";
import { readHost, readMethods, readRewrite, readUri, setSchema } from "./read-route-fields.ts";
import {
  readHealthCheck,
  readLoadBalancer,
  readPassHost,
  readPort,
  readTimeout,
} from "./read-upstream-fields.ts";
import { objectSchema, readBoolean } from "./read-value.ts";
import type { JsonSchema } from "./read-value.ts";

const describe = (schema: JsonSchema, description: string, preset?: unknown): JsonSchema => ({
  description,
  ...schema,
  ...(preset === undefined ? {} : { default: preset }),
});

/** Every field with the schema of its reader. */
const fields: Readonly<Record<FieldName, JsonSchema>> = {
  name: describe(readName.schema, "name of the route, unique in the annotation"),
  port: describe(
    readPort(undefined).schema,
    "number, or the name of a container port (Pod) or Service port (Service)",
  ),
  host: describe(readHost.schema, "host that is answered; the configuration may have a default"),
  hosts: describe(setSchema(readHost.schema), "hosts, in place of host"),
  uri: describe(readUri.schema, "path, or with * at its end a prefix; default /*"),
  uris: describe(setSchema(readUri.schema), "uris, in place of uri"),
  methods: describe(readMethods.schema, "methods that are answered; default all"),
  priority: describe(readPriority.schema, "APISIX's priority of the route", 0),
  websocket: describe(readBoolean.schema, "whether the route takes WebSocket connections", false),
  rewrite: describe(readRewrite.schema, "what becomes of the path on its way to the node"),
  plugins: describe(readPlugins.schema, "APISIX plugins by name; only those that policy.plugins lists"),
  scheme: describe(readScheme.schema, "how nodes are spoken to", "http"),
  timeout: describe(readTimeout.schema, "seconds"),
  retries: describe(readRetries.schema, "how many other nodes are tried", 1),
  passHost: describe(readPassHost.schema, "Host that nodes see: pass, node, or a host name", "pass"),
  loadBalancer: describe(readLoadBalancer.schema, "how a node is chosen", "roundrobin"),
  healthCheck: describe(readHealthCheck.schema, "active check; interval in seconds"),
  share: describe(readShare(undefined).schema, "who else may stand behind this route"),
  via: describe(
    readVia(undefined).schema,
    "Services only: Pod addresses, or node addresses and node ports",
    "endpoint",
  ),
  publishNotReady: describe(readBoolean.schema, "whether unready Pods stay nodes", false),
  protocol: describe(readProtocol.schema, "tcp, udp and tls come later", "http"),
};

const both = (...names: readonly FieldName[]): JsonSchema => ({ not: { required: names } });

const route: JsonSchema = {
  ...objectSchema(fields, ["name", "port"]),
  allOf: [
    both("host", "hosts"),
    both("uri", "uris"),
    { not: { required: ["rewrite", "plugins"], properties: { plugins: { required: ["proxy-rewrite"] } } } },
  ],
};

/**
 * JSON Schema (draft 2020-12) of what the routes annotation holds, on a Pod or a Service. It is made of the readers'
 * own schemas and never refuses what `validateRoutes` accepts. It cannot say: names, pairs and normalised elements
 * that stand twice, the limits on pairs, bytes, nesting and a number's digits, and which IPv6 addresses are good.
 */
export const routesSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "apisix-translator.io/routes",
  description:
    "Declarations of a Pod or Service: an array of routes; a single route is taken as an array of one.",
  anyOf: [
    { type: "array", maxItems: maxEntries, items: { $ref: "#/$defs/route" } },
    { $ref: "#/$defs/route" },
  ],
  $defs: { route },
};
