import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Translator } from "../first/translator.ts";
import type { Churn } from "../processes/load-process.ts";
import { quantile } from "../statistics.ts";
import { latenciesOf } from "./latencies.ts";
import type { LoadScene } from "./load-scene.ts";

/** What one stretch of churn did. */
export interface Measured {
  /** Milliseconds from a change's event to the Admin request that carries it. */
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
  /** Changes that no request carried until the end. */
  readonly lost: number;
  readonly writes: number;
  readonly changes: number;
  readonly events: number;
  /** Events of a second, as they were really sent. */
  readonly rate: number;
  /** Milliseconds of CPU of the translator, from the first event until it was quiet. */
  readonly cpu: number;
  /** Bytes. */
  readonly rss: number;
  /** Percent of one core that the load and the sink used. */
  readonly loadBusy: number;
  readonly sinkBusy: number;
  /** Percent of the whole machine that nobody used. */
  readonly idle: number;
}

/** How long nothing may come, and the translator be idle, before all is taken to have come. */
const silence = 400;
/** Less of a core than this is idle. */
const idleShare = 0.15;

/** Sends churn past a translator that is converged and watches everything, and waits until it is quiet. */
export async function measure(
  { load, sink }: LoadScene,
  { process }: Translator,
  churn: Churn,
  options: {
    readonly numbers: ReadonlyMap<string, number>;
    readonly endpoints: number;
    /** Milliseconds that it may take after the last event; default 1,500. */
    readonly patience?: number;
  },
): Promise<Measured> {
  await Promise.all([sink.ask("arrivals"), sink.ask("written")]);
  const [before, sinkBefore, machine] = [await process.ask("read"), await sink.ask("used"), machineNow()];
  const sent = await load.ask("churn", churn);
  const [sinkAfter, idle] = [await sink.ask("used"), idleSince(machine)];
  const writes = await quiet(sink, process, options.patience ?? 1500);
  const after = await process.ask("read");
  const { taken, lost } = latenciesOf(sent.changes, await sink.ask("arrivals"), options);
  const at = (fraction: number): number => quantile(taken, fraction);
  return {
    ...{ p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1), lost, writes },
    ...{ changes: sent.changes.length / 3, events: sent.events, rate: sent.events / sent.seconds },
    ...{ cpu: after.usage.cpu - before.usage.cpu, rss: after.usage.rss },
    loadBusy: sent.cpu / (10 * sent.seconds),
    sinkBusy: (sinkAfter.cpu - sinkBefore.cpu) / (10 * sent.seconds),
    idle,
  };
}

/** Of each Service's upstream, its number. */
export async function serviceNumbers({ sink }: LoadScene): Promise<Map<string, number>> {
  const names = await sink.ask("names");
  return new Map(
    names.filter(([, name]) => name.startsWith("svc-")).map(([id, name]) => [id, Number(name.slice(4))]),
  );
}

/** Resolves to the number of writes once none has come for a while and nothing is worked on any more. */
async function quiet(
  sink: LoadScene["sink"],
  process: Translator["process"],
  patience: number,
): Promise<number> {
  let { writes } = await sink.ask("written");
  let { cpu } = (await process.ask("read")).usage;
  for (let waited = 0; waited < patience; waited += silence) {
    await sleep(silence);
    const more = (await sink.ask("written")).writes;
    const now = (await process.ask("read")).usage.cpu;
    const isIdle = now - cpu < idleShare * silence;
    writes += more;
    cpu = now;
    if (more === 0 && isIdle) break;
  }
  return writes;
}

interface Machine {
  readonly idle: number;
  readonly all: number;
}

function machineNow(): Machine {
  const times = cpus().map(({ times: each }) => each);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce(
    (sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq,
    0,
  );
  return { idle, all };
}

function idleSince(before: Machine): number {
  const now = machineNow();
  return (100 * (now.idle - before.idle)) / (now.all - before.all);
}
