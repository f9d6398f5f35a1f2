import type { Identity } from "../../../src/apisix/types.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import type { Endpoint } from "./endpoints.ts";
import { hostsOf, mayHave, writtenHosts } from "./hosts.ts";
import type { HostNode } from "./host-nodes.ts";

/**
 * What one Pod or Service declares, read naively from the object: only what the simulation's vocabulary can say. Anything else is
 * an error of the simulation, not a verdict.
 */
export interface Declared {
  readonly pod: SourceFacts;
  readonly entries: readonly DeclaredEntry[];
  /** The annotation, or a name or share in it, cannot be read: whatever stands for this Pod stays. */
  readonly keepsAll: boolean;
}

export interface SourceFacts {
  readonly kind: Identity["kind"];
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly created: number;
  readonly ip: string | undefined;
  readonly ready: boolean;
  /** Neither terminating nor at its end. */
  readonly living: boolean;
  readonly pending: boolean;
  readonly paused: boolean;
  /** Of a Service alone, once its slices are known. */
  readonly endpoints?: readonly Endpoint[];
  /** Likewise; undefined where nothing rests on Nodes. */
  readonly hostNodes?: readonly HostNode[] | undefined;
  /** Of a Service: only Nodes with an endpoint of it take its traffic. */
  readonly local: boolean;
}

export interface DeclaredEntry {
  readonly identity: Identity;
  readonly state: "Valid" | "Invalid" | "Forbidden";
  readonly settings: DeclaredSettings | undefined;
  /** Its pairs as far as they are written, without defaults. */
  readonly written: readonly string[];
}

export interface DeclaredSettings {
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  readonly port: number | string;
  readonly portNumber: number;
  /** The same port on Nodes; undefined: `via` is not `nodePort`. */
  readonly nodePort: number | undefined;
  readonly scheme: string;
  readonly publishNotReady: boolean;
  /** Fields of the route and of the upstream, but for identity and nodes. */
  readonly route: Readonly<Record<string, unknown>>;
  readonly upstream: Readonly<Record<string, unknown>>;
  /** APISIX will refuse it. */
  readonly refused: boolean;
}

export interface Policy {
  readonly defaultHost: string | undefined;
  readonly plugins: readonly string[];
  /** Whether groups may span clusters. */
  readonly fleet: boolean;
  /** How many Nodes take the traffic of one Service. */
  readonly maxNodes: number;
  /** Empty: everybody may have every host. */
  readonly hosts: readonly HostRule[];
}

export interface HostRule {
  /** Undefined: all. */
  readonly clusters?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly hosts: readonly string[];
}

const nothing = { state: "Invalid", settings: undefined } as const;

/** Policy → object → what it declares under it. */
const known = new WeakMap<Policy, WeakMap<KubeObject, Declared | null>>();

/** Undefined for an object that does not opt in. */
export function declaredBy(object: KubeObject, cluster: string, policy: Policy): Declared | undefined {
  const memory = known.get(policy) ?? new WeakMap<KubeObject, Declared | null>();
  known.set(policy, memory);
  const seen = memory.get(object);
  if (seen !== undefined) return seen ?? undefined;
  const declared = read(object, cluster, policy);
  memory.set(object, declared ?? null);
  return declared;
}

function read(object: KubeObject, cluster: string, policy: Policy): Declared | undefined {
  const { labels, annotations } = object.metadata;
  if (labels?.["apisix-translator.io/enabled"] !== "true") return undefined;
  const pod = factsOf(object, cluster);
  const text = annotations?.["apisix-translator.io/routes"];
  if (text === undefined) return { pod, entries: [], keepsAll: false };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { pod, entries: [], keepsAll: true };
  }
  const list = (Array.isArray(value) ? value : [value]) as Record<string, unknown>[];
  const entries: DeclaredEntry[] = [];
  let keepsAll = false;
  for (const fields of list) {
    const { name } = fields;
    if (typeof name === "string") entries.push(readEntry(fields, name, object, pod, policy));
    // It is no route, and what it asks for is taken all the same: mending it makes no other entry wrong.
    else entries.push({ ...readEntry(fields, "", object, pod, policy), ...nothing });
    keepsAll ||= typeof name !== "string";
  }
  return { pod, entries: withoutTwins(entries).filter(({ identity }) => identity.route !== ""), keepsAll };
}

function factsOf(object: KubeObject, cluster: string): SourceFacts {
  const { namespace = "", name, uid = "", creationTimestamp = "", deletionTimestamp } = object.metadata;
  const {
    phase = "Running",
    podIP,
    conditions = [],
  } = object.status as {
    phase?: string;
    podIP?: string;
    conditions?: readonly { type: string; status: string }[];
  };
  return {
    ...{ kind: kindOf(object), cluster, namespace, name, uid, created: Date.parse(creationTimestamp) },
    ip: podIP,
    ready: conditions.some(({ type, status: is }) => type === "Ready" && is === "True"),
    living: deletionTimestamp === undefined && phase !== "Succeeded" && phase !== "Failed",
    pending: phase === "Pending",
    local: (object.spec as { externalTrafficPolicy?: string }).externalTrafficPolicy === "Local",
    paused: object.metadata.annotations?.["apisix-translator.io/paused"] === "true",
  };
}

function kindOf({ spec }: KubeObject): SourceFacts["kind"] {
  return "containers" in (spec as object) ? "pod" : "service";
}

const fieldNames = new Set(
  "name port host hosts uri uris priority retries scheme publishNotReady plugins share methods via".split(
    " ",
  ),
);

function readEntry(
  fields: Record<string, unknown>,
  route: string,
  object: KubeObject,
  pod: SourceFacts,
  policy: Policy,
): DeclaredEntry {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)?.kind;
  const share = (fields["share"] ?? (owner === "ReplicaSet" ? "cluster" : "none")) as Identity["share"];
  const { namespace } = pod;
  const { kind } = pod;
  const cluster = share === "fleet" ? "" : pod.cluster;
  const name = share === "none" || kind === "service" ? pod.name : "";
  const identity: Identity = { share, cluster, kind, namespace, name, route };
  const written = pairsOf(writtenHosts(fields) ?? [], (fields["uris"] ?? [fields["uri"] ?? ""]) as string[]);
  const invalid: DeclaredEntry = { identity, state: "Invalid", settings: undefined, written };
  if (Object.keys(fields).some((field) => !fieldNames.has(field))) return invalid;
  const portNumber = portOf(fields["port"], object);
  const hosts = hostsOf(fields, identity, policy);
  if (portNumber === undefined || hosts === undefined) return invalid;
  const isOnNodes = fields["via"] === "nodePort";
  const nodePort = isOnNodes ? nodePortOf(portNumber, object) : undefined;
  if (isOnNodes && nodePort === undefined) return invalid;
  const plugins = (fields["plugins"] ?? {}) as Record<string, Record<string, unknown>>;
  const isForbidden =
    Object.keys(plugins).some((plugin) => !policy.plugins.includes(plugin)) ||
    hosts.some((host) => !mayHave(host, identity, pod.cluster, policy)) ||
    (share === "fleet" && !policy.fleet);
  const settings = settingsOf(fields, hosts, { portNumber, nodePort }, plugins);
  return { identity, state: isForbidden ? "Forbidden" : "Valid", settings, written };
}

function portOf(port: unknown, object: KubeObject): number | undefined {
  // A Service of the simulation has every number that is declared, but for what no port can be.
  if (typeof port === "number") return port >= 1 && port <= 65_535 ? port : undefined;
  const { ports } = object.spec as { ports?: { name: string; port: number }[] };
  if (ports !== undefined) return ports.find(({ name }) => name === port)?.port;
  const containers = (object.spec as { containers: { ports?: { name?: string; containerPort: number }[] }[] })
    .containers;
  return containers.flatMap(({ ports }) => ports ?? []).find(({ name }) => name === port)?.containerPort;
}

function nodePortOf(portNumber: number, object: KubeObject): number | undefined {
  const { ports = [] } = object.spec as { ports?: { port: number; nodePort?: number }[] };
  return ports.find(({ port }) => port === portNumber)?.nodePort;
}

function settingsOf(
  fields: Record<string, unknown>,
  hosts: readonly string[],
  ports: Pick<DeclaredSettings, "portNumber" | "nodePort">,
  plugins: Record<string, Record<string, unknown>>,
): DeclaredSettings {
  const uris = ((fields["uris"] ?? [fields["uri"] ?? "/*"]) as string[]).toSorted();
  const scheme = (fields["scheme"] ?? "http") as string;
  const methods = fields["methods"] as string[] | undefined;
  return {
    ...{ hosts, uris, ...ports, scheme },
    port: fields["port"] as number | string,
    publishNotReady: fields["publishNotReady"] === true,
    route: {
      ...{ hosts, uris, priority: fields["priority"] ?? 0 },
      ...(methods === undefined ? {} : { methods: methods.toSorted() }),
      ...(Object.keys(plugins).length === 0 ? {} : { plugins }),
    },
    upstream: { scheme, retries: fields["retries"] ?? 1, type: "roundrobin", pass_host: "pass" },
    refused: Number(plugins["limit-count"]?.["count"] ?? 1) < 1,
  };
}

/**
 * Of two entries with a pair in common the later is Invalid: first by what is written, whether the earlier is any good or
 * not, then among the valid ones by what the defaults make of it.
 */
function withoutTwins(entries: readonly DeclaredEntry[]): DeclaredEntry[] {
  const byText = losing(entries, ({ written }) => written);
  return losing(byText, ({ settings }) =>
    settings === undefined ? [] : pairsOf(settings.hosts, settings.uris),
  );
}

function losing(
  entries: readonly DeclaredEntry[],
  wanted: (entry: DeclaredEntry) => readonly string[],
): DeclaredEntry[] {
  const taken = new Set<string>();
  return entries.map((entry) => {
    const pairs = wanted(entry);
    const isLate = pairs.some((pair) => taken.has(pair));
    for (const pair of pairs) taken.add(pair);
    return isLate ? { ...entry, state: "Invalid", settings: undefined } : entry;
  });
}

function pairsOf(hosts: readonly string[], uris: readonly string[]): string[] {
  return hosts.flatMap((host) => uris.map((uri) => `${host} ${uri}`));
}
