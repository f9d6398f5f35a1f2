import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import type { Translator } from "../first/translator.ts";
import type { Churn } from "../processes/load-process.ts";
import { median } from "../statistics.ts";
import { live } from "./live.ts";
import { endpointChurn, routeChurn } from "./rates.ts";
import { rebuildsOf, shareOf } from "./rebuilds.ts";

const full = { services: 10_000, rounds: 3, endpointSeconds: 5, routeSeconds: 20, liveSizes: [1000, 10_000] };
const small = { services: 1000, rounds: 1, endpointSeconds: 3, routeSeconds: 8, liveSizes: [500] };
const clusters = 10;

interface Churned {
  readonly events: number;
  /** Of the lanes, and of an order in which each event writes upstream and route at once. */
  readonly lanes: number;
  readonly naive: number;
  readonly lanesShare: number;
  readonly naiveShare: number;
  readonly routeWrites: number;
}

/** What the translator's writes cost the gateway. */
export const gateway: Bench = {
  name: "gateway",
  title: "rebuilds of the gateway's router, and its data plane's latency",
  usesLive: true,

  async run({ quick, say, live: real }: BenchOptions): Promise<Outcome> {
    const { services, rounds, endpointSeconds, routeSeconds, liveSizes } = quick ? small : full;
    const { endpoint, route } = await onSink(services, { rounds, endpointSeconds, routeSeconds, say });
    const measured = real && (await live(real, { sizes: liveSizes, quick, say }));
    const of = (all: readonly Churned[], value: (churned: Churned) => number): number =>
      median(all.map(value));
    return {
      ratios: {
        endpointRebuilds: endpoint.reduce((sum, { lanes }) => sum + lanes, 0),
        routeRebuildShare: of(route, ({ lanesShare }) => lanesShare),
        naiveEndpointRebuildShare: of(endpoint, ({ naiveShare }) => naiveShare),
        naiveRouteRebuildShare: of(route, ({ naiveShare }) => naiveShare),
        ...measured?.ratios,
      },
      tables: [
        { title: `Endpoint churn and a rollout, ${services} routes`, rows: rowsOf(endpoint) },
        { title: `The same with route changes, ${services} routes`, rows: rowsOf(route) },
        ...(measured?.tables ?? []),
      ],
      notes: [
        `${endpointChurn.changes} endpoint changes a second, a rollout of ${endpointChurn.rollout} more a second on one Service, and ${routeChurn.routes} route changes a second in the second table. Default throttle: \`quiet\` 50 ms, \`routeInterval\` auto.`,
        "A rebuild: route writes within 50 ms of the first of them. Its cost: 30 µs for each route that stands, as measured of APISIX 3.18. Over 100% of the time means that the gateway could not keep up at all.",
        "Baseline, the naive order: the moments of the very same events, each written at once, its upstream and then its route, as controllers do that keep nodes in routes or write both.",
        ...(measured?.notes ?? []),
      ],
    };
  },
};

async function onSink(
  services: number,
  options: {
    readonly rounds: number;
    readonly endpointSeconds: number;
    readonly routeSeconds: number;
    readonly say: (line: string) => void;
  },
): Promise<{ readonly endpoint: readonly Churned[]; readonly route: readonly Churned[] }> {
  await using scene = await openLoadScene({
    ...{ clusters, servicesPerCluster: services / clusters, endpointsPerService: 4 },
    ...{ podsPerCluster: 0, nodesPerCluster: 0 },
  });
  const translator: Translator = scene.setup.start(scene.gateway);
  await translator.converged;
  await scene.load.ask("watched");
  const endpoint: Churned[] = [];
  const route: Churned[] = [];
  for (let round = 0; round < options.rounds; round++) {
    endpoint.push(await churned(scene, services, { ...endpointChurn, seconds: options.endpointSeconds }));
    options.say(`endpoint churn: ${told(endpoint.at(-1))}`);
    route.push(await churned(scene, services, { ...routeChurn, seconds: options.routeSeconds }));
    options.say(`route churn: ${told(route.at(-1))}`);
    // What a burst still holds back is not the next round's.
    await sleep((20 * 30 * services) / 1000 + 500);
  }
  await translator.process.stop();
  return { endpoint, route };
}

async function churned({ load, sink }: LoadScene, routes: number, churn: Churn): Promise<Churned> {
  await sink.ask("routeWrites");
  const { changes, routes: rerouted, events } = await load.ask("churn", churn);
  await sleep(500);
  const writes = await sink.ask("routeWrites");
  const moments = [...rerouted, ...changes.filter((_, index) => index % 3 === 2)];
  const [lanes, naive] = [rebuildsOf(writes), rebuildsOf(moments)];
  return {
    ...{ events, lanes, naive, routeWrites: writes.length },
    lanesShare: shareOf(lanes, routes, churn.seconds),
    naiveShare: shareOf(naive, routes, churn.seconds),
  };
}

function told(churned: Churned | undefined): string {
  if (churned === undefined) return "";
  const { events, lanes, naive, lanesShare, naiveShare } = churned;
  const percent = (share: number): string => `${(100 * share).toFixed(1)}% of the time`;
  return `${events} events, ${lanes} rebuilds (${percent(lanesShare)}), naive ${naive} (${percent(naiveShare)})`;
}

function rowsOf(all: readonly Churned[]): Row[] {
  const row = (name: string, unit: string, of: (churned: Churned) => number): Row => ({
    ...{ name, unit, values: all.map(of) },
  });
  return [
    row("events", "", ({ events }) => events),
    row("lanes: route writes", "", ({ routeWrites }) => routeWrites),
    row("lanes: rebuilds", "", ({ lanes }) => lanes),
    row("lanes: rebuilds, of the time", "%", ({ lanesShare }) => 100 * lanesShare),
    row("naive order: rebuilds", "", ({ naive }) => naive),
    row("naive order: rebuilds, of the time", "%", ({ naiveShare }) => 100 * naiveShare),
  ];
}
