import type { Secret } from "./config/secret.ts";
import { keyed } from "./config/admin-key.ts";
import { crossCheck } from "./config/cross-check.ts";
import { readConfigFile, type ReadFile } from "./config/file.ts";
import { readGatewayTls } from "./config/gateway-tls.ts";
import { leaderCluster } from "./config/leader-cluster.ts";
import { readOverrides, type Environment, type Flag } from "./config/overrides.ts";
import { Problems } from "./config/problems.ts";
import { schema } from "./config/schema.ts";
import type { TlsMaterial } from "./config/tls-files.ts";
import { TranslatorError } from "./errors.ts";

/**
 * Everything that can be set, deeply frozen, under the names of the YAML file. Durations are milliseconds, sizes are
 * bytes. `undefined` is said of what was left out and has no default.
 */
export interface Config {
  /** The ownership scope, a DNS label. */
  readonly instance: string;
  /** At least one; names are unique. */
  readonly clusters: readonly ClusterConfig[];
  readonly clusterSecrets: ClusterSecretsConfig | undefined;
  readonly gateway: GatewayConfig;
  readonly sources: { readonly pods: boolean; readonly services: boolean };
  readonly nodePort: { readonly maxNodes: number; readonly address: "InternalIP" | "ExternalIP" };
  readonly defaults: {
    /** Host template; `undefined`: a declaration must name its host. */
    readonly host: string | undefined;
    readonly uri: string;
  };
  readonly policy: PolicyConfig;
  readonly leader: LeaderConfig;
  readonly shards: ShardsConfig;
  readonly throttle: ThrottleConfig;
  readonly guard: {
    readonly maxDeletes: number;
    /** 0 to 1. */
    readonly maxDeleteRatio: number;
  };
  readonly audit: { readonly interval: number };
  readonly events: { readonly enabled: boolean };
  readonly observe: ObserveConfig;
}

type AddressFamily = "IPv4" | "IPv6" | "dual";

/** Exactly one of `kubeconfig` and `inCluster` is set. */
export interface ClusterConfig {
  /** A DNS label. */
  readonly name: string;
  /** Path of a kubeconfig file; whether it is there and any good is found out when the cluster is connected. */
  readonly kubeconfig: string | undefined;
  /** `undefined`: the kubeconfig's current context. */
  readonly context: string | undefined;
  readonly inCluster: boolean;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly addressFamily: AddressFamily;
  /** Weight of this cluster's nodes; 0 takes them out. */
  readonly weight: number;
  readonly sliceSelector: "enabled" | "none";
}

export interface ClusterSecretsConfig {
  /** Name of the cluster that holds the Secrets. */
  readonly cluster: string;
  readonly namespace: string;
  /** A label selector. */
  readonly selector: string;
}

export interface GatewayConfig {
  /** Origins, as `http://apisix-admin:9180`, without a slash at the end; at least one. */
  readonly adminUrls: readonly string[];
  /** The file that `adminKey` was read from; `undefined`: it came from `APISIX_ADMIN_KEY`. */
  readonly adminKeyFile: string | undefined;
  readonly adminKey: Secret;
  readonly tls: GatewayTlsConfig | undefined;
  /** What the files of `tls` held at the start; undefined: TLS as Node has it. */
  readonly tlsMaterial: TlsMaterial | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly maxListBytes: number;
}

/** TLS to the URLs that are https. The files were good when the configuration was read; each may change later. */
export interface GatewayTlsConfig {
  /** Authorities in PEM, in place of those that Node trusts. */
  readonly caFile: string | undefined;
  /** The client's certificate in PEM; never without `keyFile`. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** Asked for, and looked for in the server's certificate, in place of the URL's host. */
  readonly serverName: string | undefined;
}

export interface PolicyConfig {
  /** Empty: everybody may claim every host. */
  readonly hosts: readonly HostPolicy[];
  /** Names of the plugins that a declaration may set. */
  readonly plugins: readonly string[];
  /** 0: no limit. */
  readonly maxRoutesPerNamespace: number;
}

/** Glob patterns; `undefined`: all clusters, all namespaces. */
export interface HostPolicy {
  readonly clusters: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly hosts: readonly string[];
}

/** Times in milliseconds; `duration` is whole seconds, as a Lease stores it. */
export interface LeaderConfig {
  readonly enabled: boolean;
  /** Where the Lease is. Left out: the one cluster with `inCluster`, else the only cluster; `undefined`: there is neither. */
  readonly cluster: string | undefined;
  readonly namespace: string;
  readonly lease: string;
  readonly duration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
}

interface ShardsConfig {
  /** 0: as many as cores less one, at least 1. */
  readonly count: number;
  readonly by: "service" | "cluster";
}

/** Times in milliseconds. */
export interface ThrottleConfig {
  readonly quiet: number;
  readonly maxDelay: number;
  /** Requests in flight, over both lanes. */
  readonly concurrency: number;
  /** Requests a second, over both lanes; 0: no limit. */
  readonly rate: number;
  readonly routeInterval: number | "auto";
  readonly deleteGrace: number;
}

export interface ListenAddress {
  /** A host name or an IP address, IPv6 without brackets. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface ObserveConfig {
  readonly listen: ListenAddress;
  readonly admin: ListenAddress;
  /** `host` or `host:port` where other instances and `explain` find this one; `""`: the Pod's IP. */
  readonly advertise: string;
  readonly logLevel: LogLevel;
  readonly logFormat: "json" | "text";
}

export interface ConfigSources {
  /** What stood on the command line, in order; the last of equal names counts. `config` names the file. */
  readonly flags: readonly Flag[];
  /** `TRANSLATOR_…`, `APISIX_ADMIN_KEY`, and `TRANSLATOR_CONFIG` for the file. */
  readonly env: Environment;
  /** Reads the configuration file and the files that `gateway` names. */
  readonly readFile: ReadFile;
  /** The command's other flags: offered when an unknown one looks like them. */
  readonly otherFlags?: readonly string[];
  /** `false` for a command that never writes: nothing of `leader` is judged but the form of its values. */
  readonly leads?: boolean;
}

/**
 * Flag before environment before file before default. Every value that is given is judged, also one that another source
 * overrides.
 *
 * @throws TranslatorError `CONFIG_INVALID` whose `problems` name all that is wrong at once, each with the key's path, the
 * value (never a secret) and what is allowed.
 */
export function loadConfig(sources: ConfigSources): Config {
  const problems = new Problems();
  const overrides = readOverrides(sources, schema, problems);
  const file = overrides.file === undefined ? {} : readConfigFile(overrides.file, sources.readFile, problems);
  // A file that cannot be read would make everything in it look missing.
  if (file === undefined) throw invalid(problems);
  const draft = schema.read(file, { path: "", overrides: overrides.values, problems });
  const cluster = draft.leader.cluster ?? leaderCluster(draft.clusters);
  const leader = { ...draft.leader, cluster };
  const config: Config = {
    ...draft,
    leader,
    gateway: {
      ...keyed(draft.gateway, sources, overrides.values, problems),
      tlsMaterial: readGatewayTls(draft.gateway, sources.readFile, problems),
    },
  };
  crossCheck(config, problems, sources.leads ?? true);
  const isFileMissing = overrides.file === undefined && problems.lacks;
  if (problems.lines.length > 0) throw invalid(problems, isFileMissing ? [noFile] : []);
  return deepFreeze(config);
}

/** The configuration file that these sources name. */
export function configFile(sources: Pick<ConfigSources, "flags" | "env">): string | undefined {
  return readOverrides(sources, schema, new Problems()).file;
}

/** The only place that reads the process's environment; everything else is handed it. */
export const processEnvironment = (): Environment => process.env;

const noFile = "no configuration file is named; give --config FILE";

/** `first`: what explains the others. */
function invalid(problems: Problems, first: readonly string[] = []): TranslatorError {
  const lines = [...first, ...problems.lines];
  const count = lines.length;
  const message = `the configuration cannot be used: ${count} ${count === 1 ? "problem" : "problems"}`;
  return new TranslatorError("CONFIG_INVALID", message, { problems: lines });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
