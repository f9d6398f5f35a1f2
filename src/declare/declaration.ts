/** Kind of an object that can carry declarations. */
export type SourceKind = "pod" | "service";

/** Who else may stand behind the same route (PRODUCT.md, "Groups"). */
export type Share = "none" | "cluster" | "fleet";

export type Scheme = "http" | "https" | "grpc" | "grpcs";

export interface ChashBalancer {
  /** `key` is `consumer_name` where `hashOn` is `consumer` and none was written: APISIX does not read it then. */
  readonly chash: { readonly hashOn: string; readonly key: string };
}

export type LoadBalancer = "roundrobin" | "least_conn" | "ewma" | ChashBalancer;

/** `stripPrefix` is a path of whole segments: it starts with `/`, does not end with one, and is not `/` alone. */
export type Rewrite = { readonly stripPrefix: string } | { readonly uri: string };

export type PassHost =
  | { readonly mode: "pass" | "node" }
  | { readonly mode: "rewrite"; readonly host: string };

/** Seconds. */
export interface Timeout {
  readonly connect: number;
  readonly send: number;
  readonly read: number;
}

/** Active check. `interval` in seconds; `healthy` and `unhealthy` are counts of probes. */
export interface HealthCheck {
  readonly path: string;
  readonly interval: number;
  readonly healthy: number;
  readonly unhealthy: number;
}

/**
 * One valid entry of the routes annotation, normalised: hosts are lower case and without a trailing dot; hosts, uris
 * and methods are sorted bytewise and unique. Entries that differ in order or spelling only give declarations that
 * `JSON.stringify` prints alike. Defaults that
 * need the source or the configuration are left undefined.
 */
export interface Declaration {
  readonly name: string;
  /** Number (1–65535), or the name of a container port (Pod) or Service port (Service). */
  readonly port: number | string;
  /** Undefined: `defaults.host` applies. Never empty. */
  readonly hosts: readonly string[] | undefined;
  /** Undefined: `defaults.uri` applies. Never empty. */
  readonly uris: readonly string[] | undefined;
  /** Undefined: all methods. Never empty. */
  readonly methods: readonly string[] | undefined;
  readonly priority: number;
  readonly websocket: boolean;
  readonly rewrite: Rewrite | undefined;
  /** Plugin name → configuration: fields sorted, none is `__proto__`, every number is finite. */
  readonly plugins: Readonly<Record<string, unknown>>;
  readonly scheme: Scheme;
  readonly timeout: Timeout | undefined;
  readonly retries: number;
  readonly passHost: PassHost;
  readonly loadBalancer: LoadBalancer;
  readonly healthCheck: HealthCheck | undefined;
  /** Undefined: `defaultShare` of the source applies. For a Service, `cluster` is already read as `none`. */
  readonly share: Share | undefined;
  readonly via: "endpoint" | "nodePort";
  readonly publishNotReady: boolean;
}
