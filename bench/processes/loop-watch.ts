import { openSync, readSync } from "node:fs";
import { sharedNow } from "./protocol.ts";
import { cpuNow, mainCpuNow } from "./usage.ts";

/** Between two ticks of the watch, milliseconds. */
export interface Block {
  readonly at: number;
  /** By the clock. */
  readonly wall: number;
  /** Of `wall`, what the thread was ready to run but the kernel let others run (the machine's noise, and our own threads'). */
  readonly waited: number;
}

/** Milliseconds of CPU since the process began: all threads, and the main one alone. */
export interface CpuSample {
  readonly at: number;
  readonly cpu: number;
  readonly main: number;
}

const tick = 2;
const sampleEvery = 100;
/** Of the longest blocks; the loading of the program has some that nobody asks about. */
const kept = 50;

/**
 * Sees how long the event loop was away from a 2 ms timer, and how much of that was waiting for a core
 * (/proc/thread-self/schedstat: nanoseconds run, nanoseconds waited). Costs about 1% of a core.
 */
export class LoopWatch {
  readonly #schedstat = new Schedstat();
  #blocks: Block[] = [];
  readonly #cpu: CpuSample[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #waited = 0;
  #sampled = -Infinity;

  start(): void {
    this.#last = sharedNow();
    this.#waited = this.#schedstat.waited();
    this.#timer = setInterval(() => this.#look(), tick).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  get cpu(): readonly CpuSample[] {
    return this.#cpu;
  }

  #look(): void {
    const now = sharedNow();
    const waited = this.#schedstat.waited();
    this.#note({ at: this.#last, wall: now - this.#last, waited: waited - this.#waited });
    this.#last = now;
    this.#waited = waited;
    if (now - this.#sampled >= sampleEvery) this.sample(now);
  }

  /** Reads the CPU once more, for a moment between two readings. */
  sample(now = sharedNow()): void {
    this.#sampled = now;
    this.#cpu.push({ at: now, cpu: cpuNow(), main: mainCpuNow() });
  }

  #note(block: Block): void {
    if (block.wall < 2 * tick) return;
    this.#blocks.push(block);
    if (this.#blocks.length < 10 * kept) return;
    this.#blocks = longest(this.#blocks);
  }
}

/** The longest by the clock, and the longest without the wait for a core, among those that began after `from`. */
export function longestSince(
  blocks: readonly Block[],
  from: number,
): { readonly wall: number; readonly waited: number; readonly own: number } {
  const since = blocks.filter(({ at }) => at >= from).toSorted((a, b) => b.wall - a.wall);
  const [first] = since;
  return {
    ...{ wall: first?.wall ?? 0, waited: first?.waited ?? 0 },
    own: Math.max(0, ...since.map(({ wall, waited }) => wall - waited)),
  };
}

function longest(blocks: readonly Block[]): Block[] {
  const byWall = blocks.toSorted((a, b) => b.wall - a.wall).slice(0, kept);
  const byOwn = blocks.toSorted((a, b) => b.wall - b.waited - (a.wall - a.waited)).slice(0, kept);
  return [...new Set([...byWall, ...byOwn])];
}

class Schedstat {
  readonly #buffer = Buffer.alloc(128);
  #file: number | undefined;

  constructor() {
    try {
      this.#file = openSync("/proc/thread-self/schedstat", "r");
    } catch {
      this.#file = undefined;
    }
  }

  /** Milliseconds; 0 where the kernel does not tell. */
  waited(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
    return Number(this.#buffer.toString("latin1", 0, length).split(" ")[1] ?? 0) / 1e6;
  }
}

/** CPU used between two moments, from samples of a growing count; NaN where they do not reach that far. */
export function cpuBetween(
  samples: readonly CpuSample[],
  from: number,
  to: number,
): { readonly cpu: number; readonly main: number } {
  const [end, begin] = [cpuAt(samples, to), cpuAt(samples, from)];
  return { cpu: end.cpu - begin.cpu, main: end.main - begin.main };
}

function cpuAt(samples: readonly CpuSample[], at: number): Omit<CpuSample, "at"> {
  const after = samples.findIndex((sample) => sample.at >= at);
  const next = samples[after];
  const before = samples[after - 1];
  if (next === undefined || before === undefined) return { cpu: NaN, main: NaN };
  const share = (at - before.at) / (next.at - before.at);
  return {
    cpu: before.cpu + share * (next.cpu - before.cpu),
    main: before.main + share * (next.main - before.main),
  };
}
