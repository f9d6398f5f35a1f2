import type { PodOptions } from "../../src/sim/kubernetes/pod.ts";

/** One declaration of one Pod, and how the bodies in APISIX differ from those of the plainest one. */
export interface BodyRow {
  /** Name of the Pod; its host is `NAME.example.com` where `entry` has none. */
  readonly pod: string;
  readonly entry: object;
  readonly options?: Partial<PodOptions>;
  readonly route?: object;
  readonly upstream?: object;
  readonly select?: string;
  readonly share?: "cluster";
}

const check = (type: string, path: string, [interval, healthy, unhealthy]: readonly number[]): object => ({
  checks: {
    active: {
      type,
      http_path: path,
      healthy: { interval, successes: healthy },
      unhealthy: { interval, http_failures: unhealthy, tcp_failures: unhealthy, timeouts: unhealthy },
    },
  },
});

const node = (port: number): object => ({ nodes: [{ host: "10.0.0.1", port, weight: 100 }] });

/** Every field of PRODUCT.md's table that applies to Pods. */
export const bodyRows: readonly BodyRow[] = [
  { pod: "plain", entry: {} },
  { pod: "port-name", entry: { port: "http" }, select: "http,endpoint,ready" },
  { pod: "port-unlisted", entry: { port: 9999 }, upstream: node(9999), select: "9999,endpoint,ready" },
  {
    pod: "port-sidecar",
    entry: { port: "proxy" },
    options: { sidecarPorts: [{ name: "proxy", containerPort: 15001 }] },
    upstream: node(15001),
    select: "proxy,endpoint,ready",
  },
  {
    pod: "host-case",
    entry: { host: "Host-CASE.Example.com." },
    route: { hosts: ["host-case.example.com"] },
  },
  { pod: "host-wild", entry: { host: "*.wild.example.com" }, route: { hosts: ["*.wild.example.com"] } },
  { pod: "host-ip", entry: { host: "192.0.2.7" }, route: { hosts: ["192.0.2.7"] } },
  {
    pod: "hosts",
    entry: { hosts: ["h1.example.com", "h2.example.com"], uris: ["/a", "/b/*"] },
    route: { hosts: ["h1.example.com", "h2.example.com"], uris: ["/a", "/b/*"] },
  },
  { pod: "uri", entry: { uri: "/only" }, route: { uris: ["/only"] } },
  { pod: "methods", entry: { methods: ["GET", "POST"] }, route: { methods: ["GET", "POST"] } },
  { pod: "priority", entry: { priority: -7 }, route: { priority: -7 } },
  { pod: "websocket", entry: { websocket: true }, route: { enable_websocket: true } },
  {
    pod: "strip",
    entry: { rewrite: { stripPrefix: "/a.b" } },
    route: { plugins: { "proxy-rewrite": { regex_uri: ["^/a\\.b(?:/(.*))?$", "/$1"] } } },
  },
  {
    pod: "rewrite",
    entry: { rewrite: { uri: "/new" } },
    route: { plugins: { "proxy-rewrite": { uri: "/new" } } },
  },
  {
    pod: "plugins",
    entry: { plugins: { cors: { allow_origins: "https://example.com" } } },
    route: { plugins: { cors: { allow_origins: "https://example.com" } } },
  },
  { pod: "https", entry: { scheme: "https" }, upstream: { scheme: "https" } },
  { pod: "grpc", entry: { scheme: "grpc" }, upstream: { scheme: "grpc" } },
  { pod: "grpcs", entry: { scheme: "grpcs" }, upstream: { scheme: "grpcs" } },
  {
    pod: "timeout",
    entry: { timeout: { connect: 1, send: 2.5, read: 3600 } },
    upstream: { timeout: { connect: 1, send: 2.5, read: 3600 } },
  },
  { pod: "retries", entry: { retries: 0 }, upstream: { retries: 0 } },
  { pod: "pass-node", entry: { passHost: "node" }, upstream: { pass_host: "node" } },
  {
    pod: "pass-name",
    entry: { passHost: "inner.example.com" },
    upstream: { pass_host: "rewrite", upstream_host: "inner.example.com" },
  },
  { pod: "least-conn", entry: { loadBalancer: "least_conn" }, upstream: { type: "least_conn" } },
  { pod: "ewma", entry: { loadBalancer: "ewma" }, upstream: { type: "ewma" } },
  {
    pod: "chash",
    entry: { loadBalancer: { chash: { hashOn: "header", key: "x-user" } } },
    upstream: { type: "chash", hash_on: "header", key: "x-user" },
  },
  {
    pod: "check",
    entry: { healthCheck: { path: "/healthz" } },
    upstream: check("http", "/healthz", [2, 1, 3]),
  },
  {
    pod: "check-tls",
    entry: { scheme: "https", healthCheck: { path: "/h", interval: 5, healthy: 2, unhealthy: 4 } },
    upstream: { scheme: "https", ...check("https", "/h", [5, 2, 4]) },
  },
  { pod: "unready", entry: {}, options: { ready: false }, upstream: { nodes: [] } },
  {
    pod: "publish",
    entry: { publishNotReady: true },
    options: { ready: false },
    select: "8080,endpoint,all",
  },
  { pod: "no-address", entry: {}, options: { ip: null }, upstream: { nodes: [] } },
  { pod: "six-only", entry: {}, options: { ip: "fd00::1" }, upstream: { nodes: [] } },
  { pod: "both-families", entry: {}, options: { ip: ["fd00::1", "10.0.0.1"] } },
  { pod: "share", entry: { share: "cluster" }, share: "cluster" },
  { pod: "replica", entry: {}, options: { owner: "web-7f9c" }, share: "cluster" },
  { pod: "daemon", entry: {}, options: { owner: { kind: "DaemonSet", name: "web" } }, share: "cluster" },
  { pod: "stateful", entry: {}, options: { owner: { kind: "StatefulSet", name: "web" } } },
];
