import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import type { LoadSize } from "../load/load-cluster.ts";
import { measure, serviceNumbers, type Measured } from "../load/measure.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import { generatorLimit } from "../load/generator-limit.ts";
import { sinkLimit } from "../sink/sink-limit.ts";
import { median } from "../statistics.ts";

const noise = 2000;
const endpoints = 10;

interface Settings {
  readonly name: string;
  readonly flags: readonly string[];
  /** Real changes a second. */
  readonly rates: readonly number[];
}

const shards = (count: number, by: string): string[] => ["--shards.count", String(count), "--shards.by", by];
const throttle = (quiet: string): string[] => ["--throttle.quiet", quiet];

const full: { rounds: number; seconds: number; servicesPerCluster: number; settings: Settings[] } = {
  ...{ rounds: 3, seconds: 5, servicesPerCluster: 100 },
  settings: [
    {
      name: "quiet 0, 1 shard",
      flags: [...throttle("0ms"), ...shards(1, "service")],
      rates: [500, 1000, 2000],
    },
    { name: "quiet 50 ms, 1 shard", flags: [...throttle("50ms"), ...shards(1, "service")], rates: [2000] },
    { name: "quiet 0, 2 shards", flags: [...throttle("0ms"), ...shards(2, "service")], rates: [2000] },
    {
      name: "quiet 0, 2 shards by cluster",
      flags: [...throttle("0ms"), ...shards(2, "cluster")],
      rates: [2000],
    },
    { name: "quiet 0, 4 shards", flags: [...throttle("0ms"), ...shards(4, "service")], rates: [2000] },
  ],
};

const small: typeof full = {
  ...{ rounds: 1, seconds: 2, servicesPerCluster: 25 },
  settings: full.settings.map((each, index) => (index === 0 ? { ...each, rates: [500, 2000] } : each)),
};

/** The main figure is of these. */
const judgedAt = { settings: "quiet 0, 1 shard", rate: 2000 };

/** A fleet in motion: much noise, some changes. */
export const churn: Bench = {
  name: "churn",
  title: "20 clusters, 2,000 events of noise a second and real changes",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const { rounds, seconds, servicesPerCluster, settings } = quick ? small : full;
    const size = {
      ...{ clusters: 20, servicesPerCluster, endpointsPerService: endpoints },
      ...{ podsPerCluster: 50, nodesPerCluster: 5 },
    };
    const limits = [...(await generatorLimit(size, say)), ...(await sinkLimit(say))];
    await using scene = await openLoadScene(size);
    const results = new Map<string, Measured[]>();
    for (let round = 0; round < rounds; round++) {
      for (const each of round % 2 === 0 ? settings : settings.toReversed())
        await run(scene, each, { seconds, results, say });
    }
    const judged = results.get(keyOf(judgedAt.settings, judgedAt.rate)) ?? [];
    const of = (value: (measured: Measured) => number): number => median(judged.map(value));
    return {
      ratios: {
        ...{ latencyP50Ms: of(({ p50 }) => p50), latencyP99Ms: of(({ p99 }) => p99) },
        cpuPerChangeUs: of(cpuPerChange),
      },
      tables: [
        ...[...results].map(([title, measured]) => ({ title, rows: rowsOf(measured) })),
        { title: "What the load and the sink could do alone", rows: limits },
      ],
      notes: notesOf(size),
    };
  },
};

async function run(
  scene: LoadScene,
  { name, flags, rates }: Settings,
  options: {
    readonly seconds: number;
    readonly results: Map<string, Measured[]>;
    readonly say: (line: string) => void;
  },
): Promise<void> {
  const translator = scene.setup.start(scene.gateway, flags);
  await translator.converged;
  await scene.load.ask("watched");
  await translator.process.ask("rest");
  const parts = { numbers: await serviceNumbers(scene), endpoints };
  for (const rate of rates) {
    await measure(scene, translator, { noise, changes: rate, seconds: 1 }, parts);
    const measured = await measure(
      scene,
      translator,
      { noise, changes: rate, seconds: options.seconds },
      parts,
    );
    const key = keyOf(name, rate);
    options.results.set(key, [...(options.results.get(key) ?? []), measured]);
    options.say(`${key}: ${told(measured)}`);
  }
  await translator.process.stop();
}

function keyOf(name: string, rate: number): string {
  return `${name}, ${rate} real changes/s`;
}

function cpuPerChange({ cpu, changes }: Measured): number {
  return (cpu * 1000) / changes;
}

function told(measured: Measured): string {
  const { p50, p99, lost, idle, loadBusy, sinkBusy } = measured;
  const busy = `load ${Math.round(loadBusy)}%, sink ${Math.round(sinkBusy)}% of a core, machine ${Math.round(idle)}% idle`;
  return `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)} ms, ${lost} lost, ${Math.round(cpuPerChange(measured))} µs a change; ${busy}`;
}

function rowsOf(all: readonly Measured[]): Row[] {
  const row = (name: string, unit: string, of: (measured: Measured) => number): Row => ({
    ...{ name, unit, values: all.map(of) },
  });
  return [
    row("event → Admin request: p50", "ms", ({ p50 }) => p50),
    row("event → Admin request: p90", "ms", ({ p90 }) => p90),
    row("event → Admin request: p99", "ms", ({ p99 }) => p99),
    row("event → Admin request: longest", "ms", ({ most }) => most),
    row("changes that no request carried", "", ({ lost }) => lost),
    row("writes for each change", "", ({ writes, changes }) => writes / changes),
    row("CPU for each real change, its share of noise with it", "µs", cpuPerChange),
    row("CPU for each event", "µs", ({ cpu, events }) => (cpu * 1000) / events),
    row("RSS", "MB", ({ rss }) => rss / 1e6),
    row("events a second, as sent", "/s", ({ rate }) => rate),
    row("the load's own use of a core", "%", ({ loadBusy }) => loadBusy),
    row("the sink's", "%", ({ sinkBusy }) => sinkBusy),
    row("the whole machine: idle", "%", ({ idle }) => idle),
  ];
}

function notesOf({ clusters, servicesPerCluster, podsPerCluster, nodesPerCluster }: LoadSize): string[] {
  return [
    `Each of ${clusters} clusters holds ${servicesPerCluster} Services with ${endpoints} endpoints, ${podsPerCluster} Pods with routes, ${nodesPerCluster} Nodes and one Service that stands on them; protobuf over TLS.`,
    "Noise: only resourceVersion and a time move; half of it on slices, a fifth each on Pods and Nodes, a tenth on Services. A real change: another endpoint of a slice is not ready, so each is one upstream write, or less where several changes of one Service meet.",
    "Latency: from before the load fills the frame until the sink has received the request whole, on CLOCK_MONOTONIC. A request carries the newest change that it shows and all older ones that waited. Load, sink and translator share the machine's cores: what the machine had left is in the table.",
    "A miss of the latency with an idle machine is the translator's own; without one it says that the machine could not run all three at that rate.",
  ];
}
