import type { SentRequest } from "./wire/admin-tap.ts";
import type { ProcessOptions } from "./translator-process.ts";
import { TranslatorProcess } from "./translator-process.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Milliseconds at most until the next process starts in the place of one that ended by itself. */
const longestPause = 3000;

export interface ProcessesParts {
  readonly random: SeededRandom;
  readonly after: (ms: number, run: () => void) => void;
  readonly process: Omit<ProcessOptions, "random" | "leads" | "isLeading" | "died">;
  readonly say: (what: string) => void;
  /** A translator that remembers nothing begins to lead. */
  readonly leads: () => void;
}

/** The processes of the translator: one, or with an election two; where one ends another starts, that remembers nothing. */
export class Processes {
  readonly #parts: ProcessesParts;
  readonly #all: TranslatorProcess[] = [];
  readonly #pauses = new Map<TranslatorProcess, number>();
  #leading: TranslatorProcess | undefined;
  #isOver = false;

  constructor(parts: ProcessesParts) {
    this.#parts = parts;
  }

  /** Who leads; undefined between two, and from the moment at which it is told to stop. */
  get leader(): TranslatorProcess | undefined {
    const leader = this.#leading;
    return leader?.isAlive === true && !leader.isStopping ? leader : undefined;
  }

  /** Those that live and were not told to stop. */
  get living(): TranslatorProcess[] {
    return this.#all.filter(({ isAlive, isStopping }) => isAlive && !isStopping);
  }

  of({ term }: SentRequest): TranslatorProcess {
    const process = this.#all[term - 1];
    if (process === undefined) throw new Error(`no term ${term}`);
    return process;
  }

  start(): void {
    if (this.#isOver) return;
    const { random, process: options, leads, say } = this.#parts;
    const process = new TranslatorProcess(this.#all.length + 1, {
      ...options,
      random,
      leads: (leading) => {
        this.#leading = leading;
        say(`t${leading.term} leads`);
        leads();
      },
      isLeading: (one) => one === this.#leading,
      died: (one) => this.#died(one),
    });
    this.#all.push(process);
    say(`translator starts: t${process.term}`);
    process.start();
  }

  /** Kills the process, or tells it to stop; another one starts `pause` milliseconds after it has ended. */
  replace(process: TranslatorProcess, isKilled: boolean, pause: number): void {
    this.#pauses.set(process, pause);
    if (isKilled) process.kill();
    else void process.stop();
  }

  freeze(process: TranslatorProcess, ms: number): void {
    process.gate.freeze();
    this.#parts.after(ms, () => process.gate.thaw());
  }

  thawAll(): void {
    for (const { gate } of this.#all) gate.thaw();
  }

  /** The world ends. */
  end(): void {
    this.#isOver = true;
    for (const process of this.#all) process.kill();
  }

  #died(process: TranslatorProcess): void {
    const { random, after, say } = this.#parts;
    say(`t${process.term} is no more`);
    const drawn = random.fork(`pause ${process.term}`).between(0, longestPause);
    after(this.#pauses.get(process) ?? drawn, () => this.start());
  }
}
