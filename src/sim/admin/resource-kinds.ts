/** The resources of the Admin API: their names, schemas and how their ids are found. One row a kind. */
import { compileSchema, type Check, type JsonObject, type JsonSchema } from "./json-schema.ts";
import {
  consumerSchema,
  credentialSchema,
  globalRuleSchema,
  pluginConfigSchema,
  pluginMetadataSchema,
  protoSchema,
  secretSchema,
  serviceSchema,
  sslSchema,
  streamRouteSchema,
} from "./other-schemas.ts";
import { routeProblem, sslProblem, upstreamProblem } from "./resource-rules.ts";
import { routeSchema } from "./route-schema.ts";
import { upstreamSchema } from "./upstream-schema.ts";

export interface ResourceKind {
  /** As in the path: `stream_routes`. */
  readonly name: string;
  /** As in messages: `stream route`. */
  readonly singular: string;
  /** As in `/schema/…`: `stream_route`. */
  readonly schemaName: string;
  readonly schema: JsonSchema;
  readonly check: Check;
  /** Rules that the schema cannot say. */
  readonly rule: (value: JsonObject) => string | undefined;
  /** The member that names the object. */
  readonly idField: "id" | "username";
  readonly hasTimes: boolean;
  readonly methods: ReadonlySet<string>;
}

const all = ["GET", "PUT", "POST", "PATCH", "DELETE"];
const withoutPatch = ["GET", "PUT", "POST", "DELETE"];
const byName = ["GET", "PUT", "DELETE"];

function kind(
  name: string,
  singular: string,
  schema: JsonSchema,
  methods: readonly string[] = all,
  more: Partial<Pick<ResourceKind, "rule" | "idField" | "hasTimes">> = {},
): ResourceKind {
  return {
    name,
    singular,
    schemaName: singular.replace(" ", "_"),
    schema,
    check: compileSchema(schema),
    rule: () => undefined,
    idField: "id",
    hasTimes: true,
    methods: new Set(methods),
    ...more,
  };
}

const kinds = [
  kind("upstreams", "upstream", upstreamSchema, all, { rule: upstreamProblem }),
  kind("routes", "route", routeSchema, all, { rule: routeProblem }),
  kind("services", "service", serviceSchema),
  kind("stream_routes", "stream route", streamRouteSchema, withoutPatch),
  kind("ssls", "ssl", sslSchema, all, { rule: sslProblem }),
  kind("plugin_configs", "plugin config", pluginConfigSchema),
  kind("consumer_groups", "consumer group", pluginConfigSchema),
  kind("global_rules", "global rule", globalRuleSchema, ["GET", "PUT", "PATCH", "DELETE"]),
  kind("consumers", "consumer", consumerSchema, byName, { idField: "username" }),
  kind("plugin_metadata", "plugin_metadata", pluginMetadataSchema, byName, { hasTimes: false }),
  kind("protos", "proto", protoSchema),
  kind("secrets", "secret", secretSchema, byName),
];

const kindsByName = new Map(kinds.map((each) => [each.name, each]));
const kindsBySchema = new Map(kinds.map((each) => [each.schemaName, each]));

/** A consumer's credentials: the collection `consumers/NAME/credentials`. */
export const credentialKind = kind("credentials", "credential", credentialSchema, byName);

export function kindNamed(name: string): ResourceKind | undefined {
  return kindsByName.get(name);
}

export function kindOfSchema(name: string): ResourceKind | undefined {
  return kindsBySchema.get(name);
}
