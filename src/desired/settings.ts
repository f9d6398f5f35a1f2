import type { Json, JsonObject } from "../apisix/types.ts";
import type { Declaration, HealthCheck, Scheme } from "../declare/declaration.ts";
import type { Pair } from "../declare/pair.ts";
import { pairsOf } from "../declare/pair.ts";

/** What chooses an upstream's nodes from its sources; stands in the label `translator/select`. */
export interface Selection {
  readonly port: number | string;
  readonly via: "endpoint" | "nodePort";
  readonly publishNotReady: boolean;
}

/** Everything that one declaration asks of APISIX but the nodes: what the members of a group must agree on. */
export interface Settings {
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  readonly pairs: readonly Pair[];
  readonly selection: Selection;
  readonly scheme: Scheme;
  /** Names of those that it asks for itself: policy says whether it may. */
  readonly plugins: readonly string[];
  /** Fields of the route's body, but for identity. */
  readonly route: JsonObject;
  /** Fields of the upstream's body, but for identity and nodes. */
  readonly upstream: JsonObject;
  /** Equal exactly for equal settings. */
  readonly key: string;
}

/** Settings of a valid declaration whose hosts and uris have been filled from the defaults. */
export function settingsOf(
  declaration: Declaration,
  hosts: readonly string[],
  uris: readonly string[],
): Settings {
  const route: JsonObject = {
    hosts,
    uris,
    priority: declaration.priority,
    ...(declaration.methods === undefined ? {} : { methods: declaration.methods }),
    ...(declaration.websocket ? { enable_websocket: true } : {}),
    ...pluginsOf(declaration),
  };
  const upstream: JsonObject = {
    scheme: declaration.scheme,
    retries: declaration.retries,
    ...balancerOf(declaration),
    ...(declaration.passHost.mode === "rewrite"
      ? { pass_host: "rewrite", upstream_host: declaration.passHost.host }
      : { pass_host: declaration.passHost.mode }),
    ...(declaration.timeout === undefined ? {} : { timeout: { ...declaration.timeout } }),
    ...(declaration.healthCheck === undefined
      ? {}
      : { checks: { active: activeCheck(declaration.healthCheck, declaration.scheme) } }),
  };
  const selection: Selection = {
    port: declaration.port,
    via: declaration.via,
    publishNotReady: declaration.publishNotReady,
  };
  return {
    hosts,
    uris,
    pairs: pairsOf(hosts, uris),
    selection,
    scheme: declaration.scheme,
    plugins: pluginNamesOf(declaration),
    route,
    upstream,
    key: JSON.stringify([route, upstream, selection.port, selection.via, selection.publishNotReady]),
  };
}

/** Value of the label `translator/select`. */
export function selectLabelOf(selection: Selection): string {
  return `${selection.port},${selection.via},${selection.publishNotReady ? "all" : "ready"}`;
}

/** The selection that a label names; undefined where it names none (somebody edited it). */
export function readSelectLabel(label: unknown): Selection | undefined {
  if (typeof label !== "string") return undefined;
  const [port = "", via, ready, ...rest] = label.split(",");
  if (rest.length > 0 || port === "" || (via !== "endpoint" && via !== "nodePort")) return undefined;
  if (ready !== "ready" && ready !== "all") return undefined;
  const number = Number(port);
  return { port: Number.isInteger(number) ? number : port, via, publishNotReady: ready === "all" };
}

function balancerOf(declaration: Declaration): JsonObject {
  const balancer = declaration.loadBalancer;
  if (typeof balancer === "string") return { type: balancer };
  return { type: "chash", hash_on: balancer.chash.hashOn, key: balancer.chash.key };
}

/** Failures of every sort count alike: the declaration knows one number. */
function activeCheck(check: HealthCheck, scheme: Scheme): JsonObject {
  return {
    type: scheme === "https" || scheme === "grpcs" ? "https" : "http",
    http_path: check.path,
    healthy: { interval: check.interval, successes: check.healthy },
    unhealthy: {
      interval: check.interval,
      http_failures: check.unhealthy,
      tcp_failures: check.unhealthy,
      timeouts: check.unhealthy,
    },
  };
}

/** Of almost every declaration. */
const noPlugins: readonly string[] = [];

function pluginNamesOf({ plugins }: Declaration): readonly string[] {
  const names = Object.keys(plugins);
  return names.length === 0 ? noPlugins : names;
}

function pluginsOf(declaration: Declaration): JsonObject {
  const plugins = { ...(declaration.plugins as Record<string, Json>) };
  const rewrite = declaration.rewrite;
  if (rewrite !== undefined) {
    plugins["proxy-rewrite"] =
      "uri" in rewrite ? { uri: rewrite.uri } : { regex_uri: stripPrefixRule(rewrite.stripPrefix) };
  }
  return Object.keys(plugins).length === 0 ? {} : { plugins };
}

/** `/api` and `/api/x` lose `/api`; `/apix` does not. The gateway matches with PCRE and keeps the query. */
function stripPrefixRule(prefix: string): readonly [string, string] {
  const literal = prefix.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return [`^${literal}(?:/(.*))?$`, "/$1"];
}
