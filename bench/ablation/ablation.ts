import type { Bench, BenchOptions, Outcome } from "../bench.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import { measure, serviceNumbers, type Measured } from "../load/measure.ts";
import { median } from "../statistics.ts";

const stages = new URL("replace-stages.ts", import.meta.url);
const endpoints = 10;
const clusters = 20;
const rates = { noise: 2000, changes: 200 };

const full = { rounds: 3, seconds: 4, servicesPerCluster: 50, patience: 10_000 };
const small = { rounds: 1, seconds: 2, servicesPerCluster: 20, patience: 5000 };

interface Variant {
  readonly name: string;
  /** What is taken away, as `replace-stages.ts` names it. */
  readonly without: string;
  readonly quiet: string;
}

const everything = "filters,comparison,indexes";
const variants = {
  nothing: { name: "nothing", without: everything, quiet: "0ms" },
  throttleAlone: { name: "throttle alone", without: everything, quiet: "50ms" },
  filters: { name: "filters", without: "indexes", quiet: "0ms" },
  indexes: { name: "filters + indexes", without: "", quiet: "0ms" },
  all: { name: "filters + indexes + throttle", without: "", quiet: "50ms" },
} as const satisfies Readonly<Record<string, Variant>>;

type VariantName = keyof typeof variants;

/** What each of the design's steps buys, alone and together. */
export const ablation: Bench = {
  name: "ablation",
  title: "the same churn with and without filters, indexes, throttle",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const size = quick ? small : full;
    await using scene = await openLoadScene({
      ...{ clusters, servicesPerCluster: size.servicesPerCluster, endpointsPerService: endpoints },
      ...{ podsPerCluster: 10, nodesPerCluster: 5 },
    });
    const names = Object.keys(variants) as VariantName[];
    const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
      VariantName,
      Measured[]
    >;
    for (let round = 0; round < size.rounds; round++) {
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const measured = await run(scene, variants[name], size);
        results[name].push(measured);
        say(`${variants[name].name}: ${told(measured)}`);
      }
    }
    const cpu = (name: VariantName): number => median(results[name].map((measured) => measured.cpu));
    return {
      ratios: {
        throttleAloneToAll: cpu("throttleAlone") / cpu("all"),
        nothingToFilters: cpu("nothing") / cpu("filters"),
        filtersToIndexes: cpu("filters") / cpu("indexes"),
        indexesToAll: cpu("indexes") / cpu("all"),
        nothingToAll: cpu("nothing") / cpu("all"),
      },
      tables: names.map((name) => ({ title: variants[name].name, rows: rowsOf(results[name]) })),
      notes: notesOf(size.servicesPerCluster),
    };
  },
};

async function run(
  scene: LoadScene,
  { without, quiet }: Variant,
  { seconds, patience }: typeof full,
): Promise<Measured> {
  const flags = ["--throttle.quiet", quiet, "--shards.count", "1"];
  const differing = without === "" ? {} : { preload: [stages], env: { BENCH_WITHOUT: without } };
  const translator = scene.setup.start(scene.gateway, flags, differing);
  await translator.converged;
  await scene.load.ask("watched");
  await translator.process.ask("rest");
  const options = { numbers: await serviceNumbers(scene), endpoints, patience };
  await measure(scene, translator, { ...rates, seconds: 1 }, options);
  const measured = await measure(scene, translator, { ...rates, seconds }, options);
  await translator.process.stop();
  return measured;
}

function told({ cpu, events, writes, p50, p99, lost }: Measured): string {
  return `${Math.round((cpu * 1000) / events)} µs an event, ${writes} writes, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms, ${lost} lost`;
}

function rowsOf(all: readonly Measured[]) {
  const row = (name: string, unit: string, of: (measured: Measured) => number) => ({
    ...{ name, unit, values: all.map(of) },
  });
  return [
    row("CPU of the whole process", "s", ({ cpu }) => cpu / 1000),
    row("CPU for each event", "µs", ({ cpu, events }) => (cpu * 1000) / events),
    row("CPU for each real change", "µs", ({ cpu, changes }) => (cpu * 1000) / changes),
    row("writes", "", ({ writes }) => writes),
    row("real changes", "", ({ changes }) => changes),
    row("changes that no request carried in time", "", ({ lost }) => lost),
    row("event → Admin request: p50", "ms", ({ p50 }) => p50),
    row("event → Admin request: p99", "ms", ({ p99 }) => p99),
    row("RSS", "MB", ({ rss }) => rss / 1e6),
    row("the whole machine: idle", "%", ({ idle }) => idle),
  ];
}

function notesOf(services: number): string[] {
  return [
    `${clusters} clusters of ${services} Services with ${endpoints} endpoints; ${rates.noise} events of noise and ${rates.changes} real changes a second, the same for all, from the first event until all is written or ${full.patience / 1000} s have passed.`,
    "Nothing: every event is decoded and goes to the shard; whatever comes, every group is translated anew and compared with what stands; and the upstream of what was touched is written, as if nothing were known of what stands.",
    "Filters: noise goes no further; what is left is translated as before, every group for each batch of changes. Indexes: only the groups that an object touches are. Throttle: `quiet` 50 ms instead of 0. The program is the same: a module loaded before it puts lesser stages in the place of its own.",
    "Baseline of each ratio is the variant that it names second. What cannot keep up gathers its work in ever larger batches, so its figures flatter it.",
  ];
}
