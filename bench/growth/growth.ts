import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import type { Translator } from "../first/translator.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import { measure, serviceNumbers, type Measured } from "../load/measure.ts";
import { median } from "../statistics.ts";

const full = { sizes: [1000, 3000, 10_000, 30_000, 100_000], rounds: 5, seconds: 4 };
const small = { sizes: [1000, 3000, 10_000], rounds: 1, seconds: 2 };

const clusters = 20;
const endpoints = 4;
const changes = 500;
const flags = ["--throttle.quiet", "0ms", "--shards.count", "1"];

interface Grown {
  readonly services: number;
  readonly scene: LoadScene;
  readonly translator: Translator;
  readonly numbers: ReadonlyMap<string, number>;
  readonly measured: Measured[];
  /** Milliseconds of CPU a second while nothing happens. */
  readonly idle: number;
}

/** CPU of one change, however much stands beside it. */
export const growth: Bench = {
  name: "growth",
  title: "CPU per change from 1,000 to 100,000 Services",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const { sizes, rounds, seconds } = quick ? small : full;
    await using all = new AsyncDisposableStack();
    const grown: Grown[] = [];
    for (const services of sizes) {
      const one = await grow(services);
      all.use(one.scene);
      all.defer(() => one.translator.process.stop());
      grown.push(one);
      say(`${services} Services stand`);
    }
    for (const one of grown) await change(one, seconds);
    for (let round = 0; round < rounds; round++) {
      for (const one of round % 2 === 0 ? grown : grown.toReversed())
        one.measured.push(await change(one, seconds));
      say(
        `round ${round + 1}: ${grown.map((one) => `${one.services}: ${Math.round(cpuOf(one, one.measured.at(-1)))} µs`).join(", ")}`,
      );
    }
    const [least] = grown;
    const last = grown.at(-1);
    const relative = (one: Grown | undefined): number[] =>
      one?.measured.map(
        (each, round) => cpuOf(one, each) / (least ? cpuOf(least, least.measured[round]) : NaN),
      ) ?? [];
    return {
      ratios: { largestToLeast: median(relative(last)) },
      tables: [
        { title: `CPU for each change, ${changes} a second`, rows: grown.map(absoluteRow) },
        {
          title: "The same, as a multiple of the smallest fleet's in the same round",
          rows: grown.map((one) => ({ ...nameOf(one), unit: "×", values: relative(one) })),
        },
        {
          title: "Beside it",
          rows: grown.flatMap((one) => [
            { name: `${one.services} Services: CPU while nothing happens`, unit: "ms/s", values: [one.idle] },
            { name: `${one.services} Services: p50`, unit: "ms", values: one.measured.map(({ p50 }) => p50) },
            {
              name: `${one.services} Services: RSS`,
              unit: "MB",
              values: one.measured.map(({ rss }) => rss / 1e6),
            },
          ]),
        },
      ],
      notes: [
        `${clusters} clusters; each Service has ${endpoints} endpoints; no noise. A change is one endpoint of one slice, drawn evenly from all, so the larger fleet's are never in the CPU's caches. All fleets stand at the same time, one is changed at a time, the order reversed each round; baseline is the smallest.`,
        "CPU is the whole process's from the first event until it is quiet, less what it uses while nothing happens.",
        "A miss says that something grows with what exists: garbage collection of a larger heap and caches that are missed, or a search.",
      ],
    };
  },
};

async function grow(services: number): Promise<Grown> {
  const scene = await openLoadScene({
    ...{ clusters, servicesPerCluster: services / clusters, endpointsPerService: endpoints },
    ...{ podsPerCluster: 0, nodesPerCluster: 0 },
  });
  const translator = scene.setup.start(scene.gateway, flags);
  await translator.converged;
  await translator.process.ask("rest");
  const before = (await translator.process.ask("read")).usage.cpu;
  await sleep(2000);
  const idle = ((await translator.process.ask("read")).usage.cpu - before) / 2;
  return { services, scene, translator, numbers: await serviceNumbers(scene), measured: [], idle };
}

async function change({ scene, translator, numbers }: Grown, seconds: number): Promise<Measured> {
  return measure(scene, translator, { noise: 0, changes, seconds }, { numbers, endpoints });
}

/** Microseconds; what runs without any change is not its. */
function cpuOf({ idle }: Grown, measured: Measured | undefined): number {
  if (measured === undefined) return NaN;
  const seconds = measured.events / measured.rate;
  return ((measured.cpu - idle * seconds) * 1000) / measured.changes;
}

function nameOf({ services }: Grown): { readonly name: string } {
  return { name: `${services} Services` };
}

function absoluteRow(one: Grown): Row {
  return { ...nameOf(one), unit: "µs", values: one.measured.map((each) => cpuOf(one, each)) };
}
