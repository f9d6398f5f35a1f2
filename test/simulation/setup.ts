import type { Config } from "../../src/config.ts";
import { loadConfig } from "../../src/config.ts";
import type { Policy } from "./oracle/declared.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** How a schedule's world is made: everything but what happens in it. */
export interface Setup {
  readonly clusters: readonly string[];
  readonly shards: number;
  /** Sections of the configuration file. */
  readonly settings: Readonly<Record<string, object>> & {
    readonly shards: { readonly by: string };
    readonly nodePort: { readonly maxNodes: number };
  };
  /** Turns that are runnable together are taken in any order. */
  readonly shuffled: boolean;
  /** Milliseconds each way. */
  readonly kubeLatency: number;
  readonly adminLatency: number;
  /** Bodies come in pieces cut anywhere. */
  readonly chopped: boolean;
  readonly pageSize: number;
  /** Whether each cluster serves WatchList, or which status refuses it. */
  readonly watchLists: readonly (boolean | 400 | 422)[];
  /** Two processes take part in the election of a leader; otherwise there is one, which leads. */
  readonly elects: boolean;
  /** Objects of each cluster before the translator starts. */
  readonly objects: number;
  /** Services of all clusters before it starts; undefined: none ever. */
  readonly services: number | undefined;
  /** Nodes of each cluster before it starts; undefined: nothing rests on any. */
  readonly nodes: number | undefined;
}

const defaultHost = "{route}-{namespace}-{cluster}.apps.example.com";
export const allowedPlugins = ["limit-count", "cors"];

export function drawSetup(random: SeededRandom): Setup {
  const clusters = ["east", "west", "north", "south"].slice(0, 2 + random.int(3));
  const smallGuard = random.chance(0.35);
  const hasServices = random.fork("services").chance(0.5);
  const onNodes = random.fork("nodes");
  return {
    clusters,
    shards: 1 + random.int(3),
    settings: {
      gateway: { timeout: random.pick(["1s", "2s", "5s"]) },
      throttle: {
        quiet: random.pick(["0ms", "50ms"]),
        maxDelay: "500ms",
        concurrency: random.pick([1, 3, 32]),
        rate: random.chance(0.15) ? 50 : 0,
        routeInterval: random.pick(["0ms", "1s", "auto"]),
        deleteGrace: random.pick(["0ms", "300ms", "5s", "30s"]),
      },
      guard: smallGuard ? { maxDeletes: 2 + random.int(3), maxDeleteRatio: 0.2 } : {},
      shards: { by: random.pick(["service", "cluster"]) },
      audit: { interval: "60s" },
      defaults: { host: defaultHost },
      policy: { plugins: allowedPlugins },
      nodePort: { maxNodes: random.fork("max nodes").pick([1, 2, 3, 64]) },
    },
    shuffled: random.chance(0.6),
    kubeLatency: random.pick([0, 2, 20]),
    adminLatency: random.pick([1, 4, 30]),
    chopped: random.chance(0.3),
    pageSize: random.pick([2, 5, 500]),
    watchLists: clusters.map(() => random.pick([true, true, false, 400] as const)),
    elects: random.fork("elects").chance(0.4),
    objects: random.pick([3, 6, 12]),
    services: hasServices ? random.fork("number of services").pick([0, 4, 10]) : undefined,
    nodes: hasServices && onNodes.chance(0.4) ? onNodes.int(5) : undefined,
  };
}

/** What of the configuration changes while the translator runs. */
export interface Configuration {
  readonly policy: Policy;
  /** Of each cluster that is configured. */
  readonly weights: ReadonlyMap<string, number>;
  /** Cluster → how often another kubeconfig has been named. */
  readonly kubeconfigs: ReadonlyMap<string, number>;
  /** Not in the file: clusters that have left for good, and whether all of them is known to be gone. */
  readonly purges: ReadonlyMap<string, "asked" | "done">;
}

export function firstConfiguration({ clusters, settings }: Setup): Configuration {
  return {
    policy: {
      ...{ defaultHost, plugins: allowedPlugins, hosts: [] },
      fleet: settings["shards"].by !== "cluster",
      maxNodes: settings["nodePort"].maxNodes,
    },
    weights: new Map(clusters.map((name) => [name, 100])),
    kubeconfigs: new Map(),
    purges: new Map(),
  };
}

/** `config` as the changed file would give it. */
export function withConfiguration(config: Config, { policy, weights, kubeconfigs }: Configuration): Config {
  const hosts = policy.hosts.map(({ clusters, namespaces, hosts: patterns }) => ({
    ...{ clusters, namespaces, hosts: patterns },
  }));
  return {
    ...config,
    clusters: config.clusters.flatMap((cluster) => {
      const weight = weights.get(cluster.name);
      const number = kubeconfigs.get(cluster.name);
      const named = number === undefined ? {} : { kubeconfig: `${cluster.kubeconfig}-${number}` };
      return weight === undefined ? [] : [{ ...cluster, ...named, weight }];
    }),
    policy: { ...config.policy, plugins: policy.plugins, hosts },
  };
}

/** The configuration as the file would give it; nothing ever reads the kubeconfigs that it names. */
export function configOf({ clusters, shards, settings, elects }: Setup): Config {
  const file = {
    instance: "sim",
    clusters: clusters.map((name) => ({ name, kubeconfig: `/sim/${name}` })),
    leader: elects ? { enabled: true, cluster: clusters[0], namespace: "default" } : { enabled: false },
    // They would be heard from a cluster whose watches are silent.
    events: { enabled: false },
    ...settings,
    gateway: { adminUrls: ["http://apisix.sim:9180"], ...settings["gateway"] },
    shards: { count: shards, ...settings["shards"] },
  };
  return loadConfig({
    flags: [{ name: "config", value: "config.json" }],
    env: { APISIX_ADMIN_KEY: "embedded-admin-key" },
    readFile: () => JSON.stringify(file),
  });
}
