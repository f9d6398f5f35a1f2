import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import type { Recorded } from "../processes/admin-process.ts";
import { Child } from "../processes/child.ts";
import type { RelayCommands } from "../processes/relay-process.ts";
import { coldStarts } from "./cold-start.ts";
import { flipsPerSecond, latencies } from "./latency.ts";
import { restarts } from "./restart.ts";
import { concurrency, openScene, type Scene } from "./scene.ts";
import type { Gateway, Translator } from "./translator.ts";

const full = { podsPerCluster: 1000, coldRounds: 5, restartRounds: 3, flipRounds: 5, flipSeconds: 8 };
const small = { podsPerCluster: 200, coldRounds: 1, restartRounds: 1, flipRounds: 2, flipSeconds: 2 };

const clusters = 10;
const relayPodsPerCluster = 100;
const floodFrames = 20_000;
/** The throttle out of the way: what is left is the translator's own. */
const flipFlags = ["--throttle.quiet", "0ms"];

/** Issue 3's figures: cold start, restart, latency, memory, event loop. */
export const first: Bench = {
  name: "first",
  title: "cold start, restart and latency of 10 clusters of Pods",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const { podsPerCluster, coldRounds, restartRounds, flipRounds, flipSeconds } = quick ? small : full;
    await using scene = await openScene({ clusters, podsPerCluster, relayPodsPerCluster });
    const cold = await coldStarts(scene, coldRounds, say);
    const again = await restarts(scene, cold.gateway, cold.translator, {
      ...{ rounds: restartRounds, flags: flipFlags, say },
    });
    const { translator } = again;
    await translator.process.ask("rest");
    const idle = (await translator.process.ask("read")).usage;
    const relay = await startRelay(scene, cold.gateway, cold.recorded);
    const limit = await generatorLimit(scene, relay);
    say(limit.said);
    const latency = await latencies({
      ...{ scene, translator, relay, rounds: flipRounds, seconds: flipSeconds, say },
    });
    const memory = await memoryRows(translator, idle.rss);
    await Promise.all([translator.process.stop(), relay.stop()]);
    return {
      ratios: {
        coldStartRate: cold.rate,
        restartWrites: again.writes,
        latencyP50Ms: latency.p50,
        latencyP99Ms: latency.p99,
        latencyP50ToFloor: latency.p50ToFloor,
        latencyP99ToFloor: latency.p99ToFloor,
        longestBlockMs: cold.longestBlock,
      },
      tables: [
        { title: `Cold start of ${clusters} × ${podsPerCluster} Pods`, rows: cold.rows },
        { title: "Restart over an unchanged fleet", rows: again.rows },
        { title: `Added latency at ${flipsPerSecond} readiness flips a second, quiet 0`, rows: latency.rows },
        { title: "Memory of the restarted translator", rows: memory },
        { title: "The generator's own limit", rows: limit.rows },
      ],
      notes: notes(translator),
    };
  },
};

async function startRelay(
  { clusters: watched, fleet }: Scene,
  gateway: Gateway,
  recorded: readonly Recorded[],
): Promise<Child<RelayCommands>> {
  const relay = new Child<RelayCommands>(new URL("../processes/relay-process.ts", import.meta.url));
  const bodies = recorded.filter(({ path }) => path.includes("/upstreams/"));
  const bytes = bodies.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0) / bodies.length;
  await relay.ask("start", {
    ...{ clusters: watched, label: "bench/relay", gateway, connections: concurrency },
    bodyBytes: Math.round(bytes),
  });
  await fleet.ask("watched", 2);
  return relay;
}

/** Frames as fast as the clusters can, to a relay that only counts them. */
async function generatorLimit(
  { fleet }: Scene,
  relay: Child<RelayCommands>,
): Promise<{ readonly rows: readonly Row[]; readonly said: string }> {
  await relay.ask("relaying", false);
  const { frames, ms, cpu } = await fleet.ask("flood", floodFrames);
  const perSecond = frames / (ms / 1000);
  while ((await relay.ask("counted")).frames < frames) await sleep(10);
  await relay.ask("relaying", true);
  const share = (100 * flipsPerSecond) / perSecond;
  return {
    rows: [
      { name: "frames, as fast as it can", unit: "/s", values: [perSecond] },
      { name: "its CPU per frame", unit: "µs", values: [(cpu * 1000) / frames] },
      { name: `${flipsPerSecond}/s are of that`, unit: "%", values: [share] },
    ],
    said: `the generator can send ${Math.round(perSecond)} frames/s; ${flipsPerSecond}/s are ${share.toFixed(1)}% of that`,
  };
}

async function memoryRows({ process }: Translator, idle: number): Promise<Row[]> {
  const { usage } = await process.ask("read");
  return [
    { name: "RSS once converged", unit: "MB", values: [idle / 1e6] },
    { name: "RSS after all flips", unit: "MB", values: [usage.rss / 1e6] },
    { name: "peak RSS (VmHWM)", unit: "MB", values: [usage.peak / 1e6] },
  ];
}

function notes({ complaints }: Translator): string[] {
  return [
    "Clusters, Admin API, autocannon and relay run in processes of their own; the translator is `node src/main.ts run` as a user starts it (TypeScript as it is, which costs start-up time and memory that `dist/` does not), with a probe loaded before it.",
    "Each Pod is a route and an upstream of its own (`share: none`): two writes a Pod in a cold start.",
    `autocannon sends the recorded requests of a cold start to an equally empty Admin API of the same warm process, ${concurrency} connections, rounds in alternating order.`,
    "Latency: from before the cluster encodes the frame until the Admin API has received the request whole, on CLOCK_MONOTONIC. The bare relay finds the Pod's name in the frame and sends a ready-made body of the same length: the floor of sockets, TLS and Node. Its Pods are others than the translator's, so that both stay up.",
    "Event loop: a 2 ms timer in the main thread, from the line `translator started` on (before it the program is loaded and its types are stripped, which `dist/` does not need); what it waited for a core is the kernel's own figure (schedstat). Judged by the clock, median of the rounds.",
    `The last translator logged ${complaints.length} warnings or errors${complaints.length === 0 ? "" : `, the first: \`${complaints[0]?.slice(0, 200) ?? ""}\``}.`,
  ];
}
