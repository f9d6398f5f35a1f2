import { loadConfig, type Config } from "../../src/config.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";
import type { Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { gatewaySource } from "./gateway-source.ts";

interface Configured {
  readonly fleet: Fleet;
  readonly gateway: AdminServer;
  /** Of the configuration file, as in `PipelineOptions`. */
  readonly settings: object;
  readonly speed: number;
}

/** The configuration of a translator between these: one that waits for nothing, but for what is set. */
export function pipelineConfig(configured: Configured): Config {
  return loadConfig({
    flags: [{ name: "config", value: "config.json" }],
    env: { APISIX_ADMIN_KEY: configured.gateway.adminKey },
    readFile: () => JSON.stringify(fileOf(configured)),
  });
}

function fileOf({ fleet, gateway, settings: given, speed }: Configured): object {
  const { without = [], ...settings } = given as { readonly without?: readonly string[] };
  const clusters = fleet.clusters.filter(({ name }) => !without.includes(name));
  return {
    instance: gatewaySource().instance,
    leader: { enabled: false },
    shards: { count: 1 },
    ...settings,
    clusters: clusters.map(({ name, kubeconfigPath }) => ({
      ...{ name, kubeconfig: kubeconfigPath },
      ...settingOf(settingOf(settings, "clusters"), name),
    })),
    gateway: { adminUrls: [gateway.url], timeout: "10s", ...settingOf(settings, "gateway") },
    throttle: {
      quiet: "0ms",
      routeInterval: "0ms",
      deleteGrace: `${300 * speed}ms`,
      ...settingOf(settings, "throttle"),
    },
  };
}

function settingOf(settings: object, key: string): object {
  const value = (settings as Record<string, unknown>)[key];
  return typeof value === "object" && value !== null ? value : {};
}
