import { setTimeout as sleep } from "node:timers/promises";
import type { LiveGateway, Row } from "../bench.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import { median } from "../statistics.ts";
import { LiveProbe, probeRate } from "./live-probe.ts";
import { endpointChurn, routeChurn } from "./rates.ts";

const instance = "bench-gateway";
const clusters = 10;

type Mood = "idle" | "endpoints" | "routes";

export interface Live {
  readonly ratios: Readonly<Record<string, number>>;
  readonly tables: readonly { readonly title: string; readonly rows: readonly Row[] }[];
  readonly notes: readonly string[];
}

interface Options {
  readonly sizes: readonly number[];
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

/** The data plane of a real APISIX while a translator keeps it in step with a fleet in motion. */
export async function live(gateway: LiveGateway, { sizes, quick, say }: Options): Promise<Live> {
  await using probe = await LiveProbe.open(gateway, instance);
  const measured = new Map<number, Readonly<Record<Mood, number[]>>>();
  for (const services of sizes) {
    measured.set(services, await atSize(gateway, probe, services, { quick, say }));
    await probe.admin.clear(instance, { keepProbe: true });
  }
  const ratio = (services: number, mood: Mood): number => {
    const p99s = measured.get(services);
    return p99s === undefined ? NaN : median(p99s[mood]) / median(p99s.idle);
  };
  return {
    ratios: {
      liveEndpointP99ToIdle: ratio(sizes.at(-1) ?? NaN, "endpoints"),
      liveRouteP99ToIdle: ratio(sizes.at(-1) ?? NaN, "routes"),
    },
    tables: [...measured].map(([services, p99s]) => ({
      title: `A real APISIX with ${services} routes: data-plane p99`,
      rows: [
        { name: "idle", unit: "ms", values: p99s.idle },
        { name: "in endpoint churn", unit: "ms", values: p99s.endpoints },
        { name: "in route churn", unit: "ms", values: p99s.routes },
        { name: "endpoint churn ÷ idle", unit: "×", values: [ratio(services, "endpoints")] },
        { name: "route churn ÷ idle", unit: "×", values: [ratio(services, "routes")] },
      ],
    })),
    notes: [
      `Real APISIX: autocannon through 8 connections at ${probeRate} requests a second to one route, whose upstream is a small server beside it; idle and churn take turns. APISIX, its etcd, the load, the translator and autocannon share this machine's cores: what churn costs in CPU raises the p99 too, so the ratio is an upper bound.`,
    ],
  };
}

async function atSize(
  gateway: LiveGateway,
  probe: LiveProbe,
  services: number,
  { quick, say }: Pick<Options, "quick" | "say">,
): Promise<Readonly<Record<Mood, number[]>>> {
  await using scene = await openLoadScene({
    ...{ clusters, servicesPerCluster: services / clusters, endpointsPerService: 4 },
    ...{ podsPerCluster: 0, nodesPerCluster: 0 },
  });
  const translator = scene.setup.start({ url: gateway.adminUrl, key: gateway.key }, ["--instance", instance]);
  await translator.converged;
  await scene.load.ask("watched");
  const seconds = quick ? 3 : 8;
  const p99s: Record<Mood, number[]> = { idle: [], endpoints: [], routes: [] };
  await probe.p99(1);
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    p99s.idle.push(await probe.p99(seconds));
    p99s.endpoints.push(await underChurn(scene, endpointChurn, () => probe.p99(seconds), seconds));
    p99s.routes.push(await underChurn(scene, routeChurn, () => probe.p99(seconds), seconds));
    // Bursts that wait would fall into the next round's idle time.
    await sleep((20 * 30 * services) / 1000 + 1000);
    say(
      `${services} routes: p99 idle ${shown(p99s.idle)}, endpoints ${shown(p99s.endpoints)}, routes ${shown(p99s.routes)} ms`,
    );
  }
  await translator.process.stop();
  return p99s;
}

async function underChurn(
  { load }: LoadScene,
  churn: typeof endpointChurn,
  look: () => Promise<number>,
  seconds: number,
): Promise<number> {
  const churning = load.ask("churn", { ...churn, seconds: seconds + 1 });
  await sleep(500);
  const p99 = await look();
  await churning;
  return p99;
}

function shown(values: readonly number[]): string {
  return (values.at(-1) ?? NaN).toFixed(1);
}
