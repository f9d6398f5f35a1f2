import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import type { Translator } from "../first/translator.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import { longestSince } from "../processes/loop-watch.ts";
import { median } from "../statistics.ts";

const full = { clusters: 100, servicesPerCluster: 1000, restarts: 3, rest: 5000 };
const small = { clusters: 50, servicesPerCluster: 100, restarts: 1, rest: 1000 };
const endpoints = 10;

interface Start {
  readonly seconds: number;
  readonly writes: number;
  readonly cpu: number;
  readonly peak: number;
  readonly steady: number;
  readonly block: { readonly wall: number; readonly waited: number; readonly own: number };
}

/** One process over a whole fleet. */
export const fleet: Bench = {
  name: "fleet",
  title: "100 clusters, 100,000 Services, 1,000,000 endpoints in one process",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const size = quick ? small : full;
    const { clusters, servicesPerCluster } = size;
    await using scene = await openLoadScene({
      ...{ clusters, servicesPerCluster, endpointsPerService: endpoints },
      ...{ podsPerCluster: 0, nodesPerCluster: 0 },
    });
    const cold = await start(scene, size.rest);
    say(`cold start: ${told(cold.start)}`);
    await cold.translator.process.stop();
    const restarts: Start[] = [];
    for (let round = 0; round < size.restarts; round++) {
      const again = await start(scene, size.rest);
      restarts.push(again.start);
      say(`restart ${round + 1}: ${told(again.start)}`);
      await again.translator.process.stop();
    }
    const starts = [cold.start, ...restarts];
    return {
      ratios: {
        peakGb: Math.max(...starts.map(({ peak }) => peak)) / 1e9,
        restartSeconds: median(restarts.map(({ seconds }) => seconds)),
        restartWrites: restarts.reduce((sum, { writes }) => sum + writes, 0),
        longestBlockMs: Math.max(...starts.map(({ block }) => block.wall)),
        longestOwnBlockMs: Math.max(...starts.map(({ block }) => block.own)),
        bytesPerEndpoint:
          median(restarts.map(({ steady }) => steady)) / (clusters * servicesPerCluster * endpoints),
      },
      tables: [
        { title: `Cold start of ${clusters} × ${servicesPerCluster} Services`, rows: rowsOf([cold.start]) },
        { title: "Restart over the unchanged fleet", rows: rowsOf(restarts) },
      ],
      notes: [
        `${clusters * servicesPerCluster} Services in ${clusters} clusters, ${endpoints} endpoints each, protobuf over TLS, an Admin API that takes all; default settings.`,
        "Proven-converged: every cluster and APISIX were read as a whole and compared.",
        "Event loop: a 2 ms timer in the main thread, from `translator started` on. The block that is judged is by the clock; a machine whose cores are taken makes it longer, so the longest without the wait for a core stands beside it.",
        "Memory is the whole process's, worker threads and program included (`src/main.ts` as it is: types are stripped while it runs, about 80 MB more than `dist/`).",
      ],
    };
  },
};

async function start(
  { setup, gateway, sink }: LoadScene,
  rest: number,
): Promise<{ readonly translator: Translator; readonly start: Start }> {
  await sink.ask("written");
  const translator = setup.start(gateway);
  const seconds = ((await translator.converged) - translator.begunAt) / 1000;
  await sleep(rest);
  const { writes } = await sink.ask("written");
  await sink.ask("arrivals");
  const { usage, blocks } = await translator.process.ask("read");
  const block = longestSince(blocks, translator.startedAt());
  const about = { cpu: usage.cpu / 1000, peak: usage.peak, steady: usage.rss };
  return { translator, start: { seconds, writes, ...about, block } };
}

function told({ seconds, writes, peak, steady, block }: Start): string {
  return `${seconds.toFixed(1)} s, ${writes} writes, peak ${Math.round(peak / 1e6)} MB, then ${Math.round(steady / 1e6)} MB, longest block ${Math.round(block.wall)} ms (${Math.round(block.own)} of its own)`;
}

function rowsOf(starts: readonly Start[]): Row[] {
  const row = (name: string, unit: string, of: (start: Start) => number): Row => ({
    ...{ name, unit, values: starts.map(of) },
  });
  return [
    row("start of the process to proven-converged", "s", ({ seconds }) => seconds),
    row("writes", "", ({ writes }) => writes),
    row("CPU", "s", ({ cpu }) => cpu),
    row("peak RSS (VmHWM)", "MB", ({ peak }) => peak / 1e6),
    row("RSS some seconds later", "MB", ({ steady }) => steady / 1e6),
    row("longest event loop block, by the clock", "ms", ({ block }) => block.wall),
    row("of it, ready to run but without a core", "ms", ({ block }) => block.waited),
    row("longest block without the wait for a core", "ms", ({ block }) => block.own),
  ];
}
