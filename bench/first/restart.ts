import type { Row } from "../bench.ts";
import { longestSince } from "../processes/loop-watch.ts";
import type { Scene } from "./scene.ts";
import type { Gateway, Translator } from "./translator.ts";

export interface Restarts {
  /** All rounds together; any is a fault. */
  readonly writes: number;
  readonly rows: readonly Row[];
  /** The last one, still running. */
  readonly translator: Translator;
}

interface Restart {
  readonly seconds: number;
  readonly writes: number;
  readonly cpu: number;
  readonly peak: number;
  readonly block: number;
  readonly waited: number;
  readonly own: number;
}

/**
 * Starts the translator again over a gateway that already holds everything: until it says that its first reconcile is done,
 * so APISIX and every cluster have been read as a whole and compared. The last one gets `flags`, for what comes after.
 */
export async function restarts(
  scene: Scene,
  gateway: Gateway,
  running: Translator,
  options: {
    readonly rounds: number;
    readonly flags: readonly string[];
    readonly say: (line: string) => void;
  },
): Promise<Restarts> {
  let translator = running;
  const all: Restart[] = [];
  for (let round = 0; round < options.rounds; round++) {
    await translator.process.stop();
    await scene.admin.ask("written");
    translator = scene.setup.start(gateway, options.flags);
    const restart = await measure(scene, translator);
    all.push(restart);
    options.say(
      `restart ${round + 1}: converged after ${restart.seconds.toFixed(2)} s, ${restart.writes} writes`,
    );
  }
  const row = (name: string, unit: string, of: (restart: Restart) => number): Row => ({
    ...{ name, unit, values: all.map(of) },
  });
  return {
    writes: all.reduce((sum, { writes }) => sum + writes, 0),
    rows: [
      row("start of the process to proven-converged", "s", ({ seconds }) => seconds),
      row("writes", "", ({ writes }) => writes),
      row("CPU", "s", ({ cpu }) => cpu),
      row("peak RSS (VmHWM)", "MB", ({ peak }) => peak),
      row("longest event loop block, by the clock", "ms", ({ block }) => block),
      row("of it, ready to run but without a core", "ms", ({ waited }) => waited),
      row("longest block without the wait for a core", "ms", ({ own }) => own),
    ],
    translator,
  };
}

async function measure(
  scene: Scene,
  { process, begunAt, startedAt, converged }: Translator,
): Promise<Restart> {
  const seconds = ((await converged) - begunAt) / 1000;
  const { usage, blocks } = await process.ask("read");
  const { writes } = await scene.admin.ask("written");
  const { wall: block, waited, own } = longestSince(blocks, startedAt());
  return {
    ...{ seconds, writes, cpu: usage.cpu / 1000, peak: usage.peak / 1e6 },
    ...{ block, waited, own },
  };
}
