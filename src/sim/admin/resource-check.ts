/** Everything that can make a body unfit, in APISIX's order: schema, rules, plugins, references. */
import { etcdRefusal, noEtcd, refusal, type AdminReply } from "./admin-reply.ts";
import type { AdminStore } from "./admin-store.ts";
import { isJsonObject, type JsonObject } from "./json-schema.ts";
import { httpPlugins, pluginsProblem } from "./plugin-schemas.ts";
import type { ResourceKind } from "./resource-kinds.ts";

interface CheckContext {
  readonly store: AdminStore;
  readonly etcdUp: boolean;
}

const serverTimes = ["create_time", "update_time"];

/** PUT and POST must not carry what the server sets; neither may an upstream inside. */
export function forbiddenProperty(value: JsonObject): string | undefined {
  for (const name of serverTimes) if (name in value) return `the property is forbidden:  ${name}`;
  const { upstream } = value;
  if (!isJsonObject(upstream)) return undefined;
  const name = serverTimes.find((each) => each in upstream);
  return name && `the property is forbidden:  upstream.${name}`;
}

/** What is wrong with a body without looking at other objects. */
export function bodyProblem(kind: ResourceKind, value: JsonObject): string | undefined {
  const problem = kind.check(value);
  if (problem !== undefined) return `invalid configuration: ${problem}`;
  return kind.rule(value);
}

export function resourceProblem(
  context: CheckContext,
  kind: ResourceKind,
  value: JsonObject,
): AdminReply | undefined {
  const problem = bodyProblem(kind, value);
  if (problem !== undefined) return refusal(400, problem);
  if (kind.name === "plugin_metadata") return pluginNameProblem(value);
  return referenceProblem(context, value) ?? ofPlugins(value);
}

function pluginNameProblem(value: JsonObject): AdminReply | undefined {
  return httpPlugins.includes(String(value["id"])) ? undefined : refusal(400, "invalid plugin name");
}

function ofPlugins({ plugins }: JsonObject): AdminReply | undefined {
  const problem = isJsonObject(plugins) ? pluginsProblem(plugins) : undefined;
  return problem === undefined ? undefined : refusal(400, problem);
}

const referenceFields = [
  { field: "upstream_id", collection: "upstreams", word: "upstream" },
  { field: "service_id", collection: "services", word: "service" },
  { field: "plugin_config_id", collection: "plugin_configs", word: "plugin config" },
  { field: "group_id", collection: "consumer_groups", word: "consumer group" },
];

function referenceProblem({ store, etcdUp }: CheckContext, value: JsonObject): AdminReply | undefined {
  for (const { field, collection, word } of referenceFields) {
    const id = value[field];
    if (id === undefined) continue;
    const words = `failed to fetch ${word} info by ${word} id [${String(id)}]`;
    // Recorded: without etcd this is a 400 like any other, though nothing is wrong with the body.
    if (!etcdUp) return etcdRefusal(400, `${words}: ${noEtcd}`);
    if (store.get(collection, String(id)) === undefined) return refusal(400, `${words}, response code: 404`);
  }
  return undefined;
}
