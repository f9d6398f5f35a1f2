import type {
  ClusterConfig,
  ClusterSecretsConfig,
  Config,
  GatewayConfig,
  GatewayTlsConfig,
  HostPolicy,
  LeaderConfig,
  ObserveConfig,
  PolicyConfig,
  ThrottleConfig,
} from "../config.ts";
import {
  adminUrl,
  advertisedAddress,
  dnsLabel,
  dnsSubdomain,
  hostGlob,
  labelGlob,
  labelSelector,
  listenAddress,
} from "./network-rules.ts";
import { boolean, choice, duration, either, integer, number, size, text } from "./rules.ts";
import { hostTemplate, uri } from "./template-rules.ts";
import { list, listOrAbsent, optionalSection, required, scalar, section } from "./shape.ts";

/** What the file can say: all but what stands in other files. */
export interface Draft extends Omit<Config, "gateway"> {
  readonly gateway: Omit<GatewayConfig, "adminKey" | "tlsMaterial">;
}

const path = text("a file path, relative to the working directory or absolute", /^[^\p{Cc}]+$/u, 4096);
const pluginName = text("the name of an APISIX plugin", /^[A-Za-z0-9_-]{1,100}$/);

const context = scalar(text("the name of a context", /^[^\p{Cc}]+$/u), undefined);

/** Keys of an entry of `clusters` that say nothing of where it is. */
const clusterOptions = {
  namespaces: list(required(dnsLabel, ""), { allowed: "a list of namespaces; empty means all" }),
  addressFamily: scalar(choice("IPv4", "IPv6", "dual"), "IPv4"),
  // APISIX knows no upper limit, but its hash ring has a point for each unit of weight.
  weight: scalar(integer(0, 10_000), 100),
  sliceSelector: scalar(choice("enabled", "none"), "enabled"),
};

const cluster = section<ClusterConfig>({
  name: required(dnsLabel, ""),
  kubeconfig: scalar(path, undefined),
  context,
  inCluster: scalar(boolean, false),
  ...clusterOptions,
});

/** What `data.options` of a cluster Secret may hold. */
export const secretOptions = section<
  Omit<ClusterConfig, "name" | "kubeconfig" | "inCluster"> & { readonly name: string | undefined }
>({ name: scalar(dnsLabel, undefined), context, ...clusterOptions });

const clusterSecrets = section<ClusterSecretsConfig>({
  cluster: required(dnsLabel, ""),
  namespace: scalar(dnsLabel, "apisix-translator"),
  selector: scalar(labelSelector, "apisix-translator.io/cluster=true"),
});

const gateway = section<Draft["gateway"]>({
  adminUrls: list(required(adminUrl, ""), {
    allowed: "a list of URLs, as [http://apisix-admin:9180]",
    least: 1,
    most: 16,
  }),
  adminKeyFile: scalar(path, undefined),
  tls: optionalSection(
    section<GatewayTlsConfig>({
      caFile: scalar(path, undefined),
      certFile: scalar(path, undefined),
      keyFile: scalar(path, undefined),
      serverName: scalar(dnsSubdomain, undefined),
    }),
  ),
  timeout: scalar(duration(100, 600_000), 5000),
  maxListBytes: scalar(size(2 ** 20, 2 ** 36, "1MiB to 64GiB"), 2 ** 30),
});

const hostPolicy = section<HostPolicy>({
  clusters: listOrAbsent(required(labelGlob, ""), "a list of patterns; left out, it means all clusters"),
  namespaces: listOrAbsent(required(labelGlob, ""), "a list of patterns; left out, it means all namespaces"),
  hosts: list(required(hostGlob, ""), { allowed: "a list of host patterns", least: 1 }),
});

const policy = section<PolicyConfig>({
  hosts: list(hostPolicy, { allowed: "a list of {clusters, namespaces, hosts}" }),
  plugins: list(required(pluginName, ""), { allowed: "a list of plugin names" }),
  maxRoutesPerNamespace: scalar(integer(0, 1_000_000), 0),
});

/** client-go's times, which Kubernetes' own components use. */
const leader = section<LeaderConfig>({
  enabled: scalar(boolean, true),
  cluster: scalar(dnsLabel, undefined),
  namespace: scalar(dnsLabel, "apisix-translator"),
  lease: scalar(dnsSubdomain, "apisix-translator"),
  duration: scalar(duration(1000, 3_600_000), 15_000),
  renewDeadline: scalar(duration(100, 3_600_000), 10_000),
  retryPeriod: scalar(duration(100, 3_600_000), 2000),
});

const throttle = section<ThrottleConfig>({
  quiet: scalar(duration(0), 50),
  maxDelay: scalar(duration(0), 500),
  concurrency: scalar(integer(1, 1024), 32),
  rate: scalar(number(0, 1_000_000), 0),
  routeInterval: scalar(either(choice("auto"), duration(0)), "auto"),
  deleteGrace: scalar(duration(0), 30_000),
});

const observe = section<ObserveConfig>({
  listen: scalar(listenAddress, { host: "0.0.0.0", port: 8080 }),
  admin: scalar(listenAddress, { host: "127.0.0.1", port: 8081 }),
  advertise: scalar(advertisedAddress, ""),
  logLevel: scalar(choice("debug", "info", "warn", "error"), "info"),
  logFormat: scalar(choice("json", "text"), "json"),
});

/** Every key there is. Each section's type parameter proves that it has all keys of the `Config`, and no other. */
export const schema = section<Draft>({
  instance: scalar(dnsLabel, "default"),
  clusters: list(cluster, { allowed: "a list of at least one cluster", least: 1, most: 1000 }),
  clusterSecrets: optionalSection(clusterSecrets),
  gateway,
  sources: section<Config["sources"]>({ pods: scalar(boolean, true), services: scalar(boolean, true) }),
  nodePort: section<Config["nodePort"]>({
    maxNodes: scalar(integer(1, 1000), 64),
    address: scalar(choice("InternalIP", "ExternalIP"), "InternalIP"),
  }),
  defaults: section<Config["defaults"]>({
    host: scalar(hostTemplate, undefined),
    uri: scalar(uri, "/*"),
  }),
  policy,
  leader,
  shards: section<Config["shards"]>({
    count: scalar(integer(0, 64), 0),
    by: scalar(choice("service", "cluster"), "service"),
  }),
  throttle,
  guard: section<Config["guard"]>({
    maxDeletes: scalar(integer(0, 1_000_000), 100),
    maxDeleteRatio: scalar(number(0, 1), 0.3),
  }),
  audit: section<Config["audit"]>({ interval: scalar(duration(1000), 600_000) }),
  events: section<Config["events"]>({ enabled: scalar(boolean, true) }),
  observe,
});
