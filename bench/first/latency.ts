import { setTimeout as sleep } from "node:timers/promises";
import type { Row } from "../bench.ts";
import type { Arrival } from "../processes/admin-process.ts";
import type { Child } from "../processes/child.ts";
import type { Audience, Flip } from "../processes/fleet-process.ts";
import type { RelayCommands } from "../processes/relay-process.ts";
import { median, quantile } from "../statistics.ts";
import type { Scene } from "./scene.ts";
import type { Translator } from "./translator.ts";

export const flipsPerSecond = 500;
const warmUpSeconds = 2;

interface Round {
  /** Milliseconds, one for each flip whose write arrived. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
  readonly lost: number;
  /** Microseconds of CPU of the process for each flip. */
  readonly cpuPerFlip: number;
}

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly p50ToFloor: number;
  readonly p99ToFloor: number;
  readonly rows: readonly Row[];
}

export interface LatencyParts {
  readonly scene: Scene;
  readonly translator: Translator;
  readonly relay: Child<RelayCommands>;
  readonly rounds: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/**
 * From the moment when the cluster is about to write the frame until the Admin API has received the request whole. The
 * translator and the bare relay take turns, the order reversed each round; both stay up all the time, on Pods of their own.
 */
export async function latencies(parts: LatencyParts): Promise<Latencies> {
  const { rounds, seconds, say } = parts;
  const sourceOf = new Map(await parts.scene.admin.ask("identities"));
  const results: Record<Audience, Round[]> = { translator: [], relay: [] };
  for (const audience of ["relay", "translator"] as const)
    await measure(parts, audience, warmUpSeconds, sourceOf);
  for (let round = 0; round < rounds; round++) {
    const order = ["relay", "translator"] as const;
    for (const audience of round % 2 === 0 ? order : order.toReversed())
      results[audience].push(await measure(parts, audience, seconds, sourceOf));
    const [ours, floor] = [results.translator.at(-1), results.relay.at(-1)];
    say(`flips ${round + 1}: translator ${told(ours)}; bare relay ${told(floor)}`);
  }
  return judged(results);
}

async function measure(
  { scene, translator, relay }: LatencyParts,
  audience: Audience,
  seconds: number,
  sourceOf: ReadonlyMap<string, string>,
): Promise<Round> {
  const cpu = async (): Promise<number> =>
    audience === "relay"
      ? (await relay.ask("counted")).cpu
      : (await translator.process.ask("read")).usage.cpu;
  await scene.admin.ask("arrivals");
  const before = await cpu();
  const flips = await scene.fleet.ask("flip", audience, flipsPerSecond, seconds);
  // What is still on its way; a write later than this counts as lost.
  await sleep(1000);
  const used = (await cpu()) - before;
  const arrivals = await scene.admin.ask("arrivals");
  return roundOf(flips, arrivals, sourceOf, used);
}

function roundOf(
  flips: readonly Flip[],
  arrivals: readonly Arrival[],
  sourceOf: ReadonlyMap<string, string>,
  used: number,
): Round {
  const waiting = new Map<string, number[]>();
  for (const [id, at] of arrivals) {
    const source = sourceOf.get(id) ?? id;
    const queue = waiting.get(source);
    if (queue === undefined) waiting.set(source, [at]);
    else queue.push(at);
  }
  const taken: number[] = [];
  for (const [source, at] of flips) {
    const arrived = waiting.get(source)?.shift() ?? waiting.get(relayId(source))?.shift();
    if (arrived !== undefined) taken.push(arrived - at);
  }
  const at = (fraction: number): number => quantile(taken, fraction);
  return {
    ...{ p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) },
    lost: flips.length - taken.length,
    cpuPerFlip: (used * 1000) / flips.length,
  };
}

/** What the relay makes of a Pod: cluster and name. */
function relayId(source: string): string {
  const [cluster = "", , name = ""] = source.split("/");
  return `${cluster}-${name}`;
}

function told(round: Round | undefined): string {
  return round === undefined ? "" : `p50 ${round.p50.toFixed(2)}, p99 ${round.p99.toFixed(2)} ms`;
}

function judged({ translator, relay }: Readonly<Record<Audience, readonly Round[]>>): Latencies {
  const rows = (name: string, rounds: readonly Round[]): Row[] => [
    { name: `${name}: p50`, unit: "ms", values: rounds.map(({ p50 }) => p50) },
    { name: `${name}: p90`, unit: "ms", values: rounds.map(({ p90 }) => p90) },
    { name: `${name}: p99`, unit: "ms", values: rounds.map(({ p99 }) => p99) },
    { name: `${name}: longest`, unit: "ms", values: rounds.map(({ most }) => most) },
    { name: `${name}: flips without a write within 1 s`, unit: "", values: rounds.map(({ lost }) => lost) },
    { name: `${name}: CPU per flip`, unit: "µs", values: rounds.map(({ cpuPerFlip }) => cpuPerFlip) },
  ];
  const ratio = (of: (round: Round) => number): number[] =>
    translator.map((round, index) => of(round) / (relay.map(of)[index] ?? NaN));
  const [p50s, p99s] = [ratio(({ p50 }) => p50), ratio(({ p99 }) => p99)];
  return {
    p50: median(translator.map(({ p50 }) => p50)),
    p99: median(translator.map(({ p99 }) => p99)),
    p50ToFloor: median(p50s),
    p99ToFloor: median(p99s),
    rows: [
      ...rows("translator", translator),
      ...rows("bare relay", relay),
      { name: "translator ÷ bare relay, p50", unit: "", values: p50s },
      { name: "translator ÷ bare relay, p99", unit: "", values: p99s },
    ],
  };
}
