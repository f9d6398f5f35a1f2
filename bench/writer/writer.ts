import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import type { Recorded, Written } from "../processes/admin-process.ts";
import type { CannonCommands } from "../processes/cannon-process.ts";
import { Child } from "../processes/child.ts";
import { cpuBetween, type CpuSample } from "../processes/loop-watch.ts";
import type { WriterCommands } from "../processes/writer-process.ts";
import { sinkLimit } from "../sink/sink-limit.ts";
import { median } from "../statistics.ts";

const full = { groups: 2000, times: 8, rounds: 3 };
const small = { groups: 1000, times: 3, rounds: 1 };
const concurrencies = [1, 8, 32, 128];
/** At concurrency 1 a round takes long enough with fewer. */
const timesAt = (concurrency: number, times: number): number =>
  concurrency === 1 ? Math.ceil(times / 4) : times;

interface Side {
  readonly perSecond: number;
  /** Microseconds. */
  readonly cpuPerWrite: number;
}

interface Pair {
  readonly writer: Side[];
  readonly autocannon: Side[];
}

/** The writer's own pace. */
export const writer: Bench = {
  name: "writer",
  title: "upstream writes of the writer alone, and of autocannon",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const { groups, times, rounds } = quick ? small : full;
    const sinkRows = await sinkLimit(say);
    await using scene = await openLoadScene({
      ...{ clusters: 1, servicesPerCluster: groups, endpointsPerService: 10 },
      ...{ podsPerCluster: 0, nodesPerCluster: 0 },
    });
    const upstreams = await recordUpstreams(scene);
    const results = new Map<number, Pair>(
      concurrencies.map((each) => [each, { writer: [], autocannon: [] }]),
    );
    for (let round = 0; round < rounds; round++) {
      for (const [concurrency, pair] of results) {
        const parts = { scene, upstreams, concurrency, times: timesAt(concurrency, times) };
        if (round % 2 === 0) pair.autocannon.push(await cannonade(parts));
        pair.writer.push(await ours(parts));
        if (round % 2 === 1) pair.autocannon.push(await cannonade(parts));
        say(
          `concurrency ${concurrency}: writer ${told(pair.writer.at(-1))}, autocannon ${told(pair.autocannon.at(-1))}`,
        );
      }
    }
    const ratio = ({ writer: us, autocannon }: Pair): number[] =>
      us.map(({ perSecond }, round) => perSecond / (autocannon[round]?.perSecond ?? NaN));
    const fastest = [...results.values()].map((pair) =>
      median(pair.writer.map(({ perSecond }) => perSecond)),
    );
    const alone = sinkRows[0]?.values[0] ?? NaN;
    return {
      ratios: {
        worstToAutocannon: Math.min(...[...results.values()].map((pair) => median(ratio(pair)))),
        ...Object.fromEntries([...results].map(([each, pair]) => [`at${each}`, median(ratio(pair))])),
        sinkToWriter: alone / Math.max(...fastest),
      },
      tables: [
        ...[...results].map(([concurrency, pair]) => ({
          title: `Concurrency ${concurrency}`,
          rows: [
            ...rowsOf("writer", pair.writer),
            ...rowsOf("autocannon", pair.autocannon),
            { name: "writer ÷ autocannon", unit: "", values: ratio(pair) },
          ],
        })),
        { title: "The sink alone", rows: sinkRows },
      ],
      notes: [
        `${groups} upstreams of 10 nodes, each written anew as soon as it stands; bodies as the translator makes them. The writer is the program's own class with its Admin client and connections; bodies come from this thread at once, so threads, watches and translation are not part of it.`,
        "Baseline: autocannon with the same requests, the same number of connections, against the same warm sink; order reversed each round. It neither reads an answer's body nor keeps order, claims or a ledger.",
        "The sink answers at once: a real Admin API takes some hundreds to 1,600 writes a second, far below both, so a miss costs CPU, not rate. CPU is between the first and the last write.",
      ],
    };
  },
};

interface Parts {
  readonly scene: LoadScene;
  readonly upstreams: readonly Recorded[];
  readonly concurrency: number;
  readonly times: number;
}

/** The translator's own bodies. */
async function recordUpstreams({ setup, gateway, sink }: LoadScene): Promise<readonly Recorded[]> {
  const translator = setup.start(gateway);
  await translator.converged;
  await translator.process.stop();
  return sink.ask("recorded", "upstreams", Infinity);
}

async function ours({ scene, upstreams, concurrency, times }: Parts): Promise<Side> {
  const gateway = await scene.sink.ask("fresh");
  const child = new Child<WriterCommands>(new URL("../processes/writer-process.ts", import.meta.url));
  await child.ask("prepare", gateway, upstreams, concurrency);
  await child.ask("write", 1);
  await scene.sink.ask("written");
  const { cpu } = await child.ask("write", times);
  const side = sideOf(await scene.sink.ask("written"), cpu);
  await child.stop();
  return side;
}

async function cannonade({ scene, upstreams, concurrency, times }: Parts): Promise<Side> {
  const gateway = await scene.sink.ask("fresh");
  const cannon = new Child<CannonCommands>(new URL("../processes/cannon-process.ts", import.meta.url));
  await cannon.ask("fire", gateway, upstreams, concurrency);
  await scene.sink.ask("written");
  const requests = Array.from({ length: times }, () => upstreams).flat();
  const { cpu, failed } = await cannon.ask("fire", gateway, requests, concurrency);
  const side = sideOf(await scene.sink.ask("written"), cpu);
  await cannon.stop();
  if (failed > 0) throw new Error(`autocannon: ${failed} requests failed`);
  return side;
}

function sideOf({ writes, first, last }: Written, cpu: readonly CpuSample[]): Side {
  const used = cpuBetween(cpu, first, last).cpu;
  return { perSecond: writes / ((last - first) / 1000), cpuPerWrite: (used * 1000) / writes };
}

function told(side: Side | undefined): string {
  return side === undefined
    ? ""
    : `${Math.round(side.perSecond)}/s, ${Math.round(side.cpuPerWrite)} µs a write`;
}

function rowsOf(name: string, sides: readonly Side[]): Row[] {
  return [
    { name: `${name}: writes`, unit: "/s", values: sides.map(({ perSecond }) => perSecond) },
    { name: `${name}: CPU per write`, unit: "µs", values: sides.map(({ cpuPerWrite }) => cpuPerWrite) },
  ];
}
