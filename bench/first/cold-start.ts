import type { Row } from "../bench.ts";
import type { Recorded, Written } from "../processes/admin-process.ts";
import type { CannonCommands } from "../processes/cannon-process.ts";
import { Child } from "../processes/child.ts";
import { cpuBetween, longestSince } from "../processes/loop-watch.ts";
import { median } from "../statistics.ts";
import { concurrency, type Scene } from "./scene.ts";
import type { Gateway, Translator } from "./translator.ts";

/** One of the two sides in one round. */
interface Side {
  readonly perSecond: number;
  /** Microseconds of CPU for each write between the first and the last one. */
  readonly cpuPerWrite: number;
  readonly mainCpuPerWrite: number;
  readonly adminCpuPerWrite: number;
}

interface ColdStart extends Side {
  readonly writes: number;
  readonly secondsToFirst: number;
  readonly secondsToLast: number;
  readonly startCpu: number;
  readonly peak: number;
  readonly loading: ReturnType<typeof longestSince>;
  readonly block: ReturnType<typeof longestSince>;
}

export interface ColdStarts {
  /** Median of the rounds' translator ÷ autocannon. */
  readonly rate: number;
  readonly longestBlock: number;
  readonly rows: readonly Row[];
  readonly recorded: readonly Recorded[];
  /** Runs over the last round's gateway, converged. */
  readonly translator: Translator;
  readonly gateway: Gateway;
}

/**
 * The translator's first start on an empty gateway against autocannon, which sends the very same requests to an equally
 * empty one; the Admin API's process is the same and warm. Rounds alternate in order; one round before them warms up and
 * records the requests.
 */
export async function coldStarts(
  scene: Scene,
  rounds: number,
  say: (line: string) => void,
): Promise<ColdStarts> {
  let last = await startCold(scene);
  const recorded = await scene.admin.ask("recorded");
  say(`warm-up: ${told(last.cold)}`);
  const ours: ColdStart[] = [];
  const theirs: Side[] = [];
  for (let round = 0; round < rounds; round++) {
    await last.translator.process.stop();
    // The last to run is the translator: what follows needs it.
    const oursFirst = (rounds - round) % 2 === 0;
    if (!oursFirst) theirs.push(await cannonade(scene, recorded));
    last = await startCold(scene);
    ours.push(last.cold);
    if (oursFirst) {
      await last.translator.process.stop();
      theirs.push(await cannonade(scene, recorded));
    }
    say(
      `cold start ${round + 1}: ${told(last.cold)}; autocannon ${Math.round(theirs.at(-1)?.perSecond ?? 0)}/s`,
    );
  }
  return { ...last, ...judged(ours, theirs), recorded };
}

async function startCold(
  scene: Scene,
): Promise<{ readonly translator: Translator; readonly gateway: Gateway; readonly cold: ColdStart }> {
  const gateway = await scene.admin.ask("fresh");
  const translator = scene.setup.start(gateway);
  await translator.converged;
  const written = await scene.admin.ask("written");
  const { usage, blocks, cpu } = await translator.process.ask("read");
  if (written.refused > 0 || written.writes === 0)
    throw new Error(
      `${written.refused} of ${written.writes} writes refused: ${translator.complaints[0] ?? ""}`,
    );
  const cold = {
    ...sideOf(written, cpuBetween(cpu, written.first, written.last)),
    writes: written.writes,
    secondsToFirst: (written.first - translator.begunAt) / 1000,
    secondsToLast: (written.last - translator.begunAt) / 1000,
    ...{ startCpu: usage.cpu / 1000, peak: usage.peak },
    loading: longestSince(blocks, 0),
    block: longestSince(blocks, translator.startedAt()),
  };
  return { translator, gateway, cold };
}

async function cannonade(scene: Scene, recorded: readonly Recorded[]): Promise<Side> {
  const gateway = await scene.admin.ask("fresh");
  const cannon = new Child<CannonCommands>(new URL("../processes/cannon-process.ts", import.meta.url));
  const { failed, sent, cpu } = await cannon.ask("fire", gateway, recorded, concurrency);
  const written = await scene.admin.ask("written");
  await cannon.stop();
  if (failed > 0 || written.refused > 0) throw new Error(`autocannon: ${failed} of ${sent} failed`);
  return sideOf(written, cpuBetween(cpu, written.first, written.last));
}

function sideOf({ writes, first, last, cpu: adminCpu }: Written, used: ReturnType<typeof cpuBetween>): Side {
  return {
    perSecond: writes / ((last - first) / 1000),
    cpuPerWrite: (used.cpu * 1000) / writes,
    mainCpuPerWrite: (used.main * 1000) / writes,
    adminCpuPerWrite: (adminCpu * 1000) / writes,
  };
}

function told({ writes, perSecond, secondsToLast, block }: ColdStart): string {
  return `${writes} writes at ${Math.round(perSecond)}/s, the last after ${secondsToLast.toFixed(1)} s; longest block ${Math.round(block.wall)} ms`;
}

function judged(
  ours: readonly ColdStart[],
  theirs: readonly Side[],
): Pick<ColdStarts, "rate" | "longestBlock" | "rows"> {
  const rates = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? NaN));
  const row = <T>(name: string, unit: string, from: readonly T[], of: (one: T) => number): Row => ({
    ...{ name, unit, values: from.map(of) },
  });
  return {
    rate: median(rates),
    longestBlock: median(ours.map(({ block }) => block.wall)),
    rows: [
      row("translator: writes", "", ours, ({ writes }) => writes),
      row("translator: write rate, first to last", "/s", ours, ({ perSecond }) => perSecond),
      row("autocannon: write rate, first to last", "/s", theirs, ({ perSecond }) => perSecond),
      { name: "translator ÷ autocannon", unit: "", values: rates },
      row("translator: CPU per write, all threads", "µs", ours, ({ cpuPerWrite }) => cpuPerWrite),
      row("translator: CPU per write, main thread", "µs", ours, ({ mainCpuPerWrite }) => mainCpuPerWrite),
      row("autocannon: CPU per write", "µs", theirs, ({ cpuPerWrite }) => cpuPerWrite),
      row(
        "Admin API: CPU per write of the translator",
        "µs",
        ours,
        ({ adminCpuPerWrite }) => adminCpuPerWrite,
      ),
      row("Admin API: CPU per write of autocannon", "µs", theirs, ({ adminCpuPerWrite }) => adminCpuPerWrite),
      row("start of the process to first write", "s", ours, ({ secondsToFirst }) => secondsToFirst),
      row("start of the process to last write", "s", ours, ({ secondsToLast }) => secondsToLast),
      row("CPU of the whole cold start", "s", ours, ({ startCpu }) => startCpu),
      row("peak RSS (VmHWM)", "MB", ours, ({ peak }) => peak / 1e6),
      row("longest event loop block, by the clock", "ms", ours, ({ block }) => block.wall),
      row("of it, ready to run but without a core", "ms", ours, ({ block }) => block.waited),
      row("longest block without the wait for a core", "ms", ours, ({ block }) => block.own),
      row(
        "longest block without that wait, loading of the program included",
        "ms",
        ours,
        ({ loading }) => loading.own,
      ),
    ],
  };
}
