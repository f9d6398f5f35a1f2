import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import { fleetProcess, openScene, type Scene } from "../first/scene.ts";
import type { Translator } from "../first/translator.ts";
import { median, quantile } from "../statistics.ts";
import type { Child } from "../processes/child.ts";
import type { FleetCommands, Flip } from "../processes/fleet-process.ts";

const well = 7;
const flapping = ["flapping-1", "flapping-2", "flapping-3"];
const clusters = well + flapping.length;
/** Gone for half of it, there for the other half. */
const period = 1000;
const flipsPerCluster = 10;
const full = { rounds: 3, seconds: 60, podsPerCluster: 200 };
const small = { rounds: 1, seconds: 10, podsPerCluster: 50 };

interface Round {
  /** Milliseconds, of the clusters that are well in both runs. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly lost: number;
  /** Milliseconds of CPU of the translator for each second. */
  readonly cpu: number;
}

/** Whether clusters that come and go each second are felt by the others. */
export const faults: Bench = {
  name: "faults",
  title: `${clusters} clusters of which ${flapping.length} flap every second`,

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const { rounds, seconds, podsPerCluster } = quick ? small : full;
    const size = { podsPerCluster, relayPodsPerCluster: 0 };
    // What it costs an API server to stop and start is not to be felt by those that are well.
    const unsteady = fleetProcess();
    const apart = await unsteady.ask("start", { ...size, clusters: flapping });
    await using scene = await openScene({ ...size, clusters: well }, apart);
    const translator = scene.setup.start(await scene.admin.ask("fresh"));
    await translator.converged;
    await translator.process.ask("rest");
    const sourceOf = new Map(await scene.admin.ask("identities"));
    const parts = { scene, unsteady, translator, sourceOf, seconds };
    await measure({ ...parts, seconds: 2 }, false);
    const calm: Round[] = [];
    const flapped: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const flaps of round % 2 === 0 ? [false, true] : [true, false])
        (flaps ? flapped : calm).push(await measure(parts, flaps));
      say(`round ${round + 1}: calm ${told(calm.at(-1))}; flapping ${told(flapped.at(-1))}`);
    }
    await translator.process.stop();
    await unsteady.ask("close");
    await unsteady.stop();
    const ratios = flapped.map(({ p99 }, index) => p99 / (calm[index]?.p99 ?? NaN));
    return {
      ratios: { calmToFlapping: median(ratios) },
      tables: [
        {
          title: "Propagation in the clusters that are well",
          rows: [
            ...rowsOf("calm", calm),
            ...rowsOf("flapping", flapped),
            { name: "flapping ÷ calm, p99", unit: "", values: ratios },
          ],
        },
      ],
      notes: notesOf(podsPerCluster, seconds),
    };
  },
};

interface Parts {
  readonly scene: Scene;
  /** The clusters that flap. */
  readonly unsteady: Child<FleetCommands>;
  readonly translator: Translator;
  readonly sourceOf: ReadonlyMap<string, string>;
  readonly seconds: number;
}

async function measure(parts: Parts, flaps: boolean): Promise<Round> {
  const { scene, unsteady, translator, sourceOf, seconds } = parts;
  const cpu = async (): Promise<number> => (await translator.process.ask("read")).usage.cpu;
  await scene.admin.ask("arrivals");
  const before = await cpu();
  const [flips] = await Promise.all([
    scene.fleet.ask("flip", "translator", flipsPerCluster * well, seconds),
    unsteady.ask("flip", "translator", flipsPerCluster * flapping.length, seconds),
    flaps ? unsteady.ask("flap", period, seconds) : undefined,
  ]);
  // What is still on its way; a write later than this counts as lost.
  await sleep(1000);
  const used = ((await cpu()) - before) / seconds;
  const arrivals = await scene.admin.ask("arrivals");
  // All are watched again, and what was missed is written, before the next run begins.
  await Promise.all([scene.fleet, unsteady].map((fleet) => fleet.ask("watched", 1)));
  await sleep(2000);
  return roundOf(flips, arrivals, sourceOf, used);
}

function roundOf(
  flips: readonly Flip[],
  arrivals: readonly (readonly [string, number])[],
  sourceOf: ReadonlyMap<string, string>,
  cpu: number,
): Round {
  const waiting = new Map<string, number[]>();
  for (const [id, at] of arrivals) {
    const source = sourceOf.get(id) ?? id;
    waiting.set(source, [...(waiting.get(source) ?? []), at]);
  }
  const taken: number[] = [];
  for (const [source, at] of flips) {
    const arrived = waiting.get(source)?.shift();
    if (arrived !== undefined) taken.push(arrived - at);
  }
  const at = (fraction: number): number => quantile(taken, fraction);
  return { p50: at(0.5), p99: at(0.99), most: at(1), lost: flips.length - taken.length, cpu };
}

function told(round: Round | undefined): string {
  if (round === undefined) return "";
  return `p50 ${round.p50.toFixed(2)}, p99 ${round.p99.toFixed(2)} ms, ${round.lost} lost`;
}

function rowsOf(name: string, rounds: readonly Round[]): Row[] {
  return [
    { name: `${name}: p50`, unit: "ms", values: rounds.map(({ p50 }) => p50) },
    { name: `${name}: p99`, unit: "ms", values: rounds.map(({ p99 }) => p99) },
    { name: `${name}: longest`, unit: "ms", values: rounds.map(({ most }) => most) },
    { name: `${name}: flips without a write within 1 s`, unit: "", values: rounds.map(({ lost }) => lost) },
    { name: `${name}: CPU of the translator`, unit: "ms/s", values: rounds.map(({ cpu }) => cpu) },
  ];
}

function notesOf(podsPerCluster: number, seconds: number): string[] {
  return [
    `Each cluster holds ${podsPerCluster} Pods with a route; ${flipsPerCluster} readiness flips a second, in both runs; the default settings. A run takes ${seconds} s.`,
    `Flapping: the API servers of ${flapping.length} clusters break all connections and refuse new ones for half of each second. They are in a process of their own, on the same two cores.`,
    "Latency: from before the cluster fills the frame until the Admin API has received the request whole, of Pods in the other clusters only.",
  ];
}
