import fc from "fast-check";

/** What a target made of one input. `passed`: it got past the first parse. */
export interface Verdict {
  readonly passed: boolean;
  /** What is wrong with how it was taken: a success that is none. Undefined: it was right. */
  readonly wrong?: string | undefined;
}

export interface FuzzResult {
  readonly name: string;
  readonly inputs: number;
  readonly passed: number;
  /** Of the slowest input, milliseconds. */
  readonly slowest: number;
  /** The input, made as small as it gets, and what is wrong; undefined: nothing was found. */
  readonly finding: string | undefined;
}

export interface FuzzTarget {
  readonly name: string;
  /** Part of all inputs; the shares of all targets are compared. */
  readonly share: number;
  fuzz(seed: number, inputs: number): Promise<FuzzResult>;
}

/** Milliseconds of this thread's time that no input may take: what others take on a busy machine is nobody's fault. */
const longest = 100;
/** An input that took longer is tried again: a collection of garbage is nobody's fault either. */
const tries = 5;

/** One parser, fed with `inputs`; `take` throws nothing but by mistake. */
export function makeTarget<Input>(
  name: string,
  share: number,
  inputs: fc.Arbitrary<Input>,
  take: (input: Input) => Verdict | Promise<Verdict>,
  close: () => Promise<void> = () => Promise.resolve(),
): FuzzTarget {
  return {
    name,
    share,
    async fuzz(seed, runs) {
      const seen = { inputs: 0, passed: 0, slowest: 0 };
      const property = fc.asyncProperty(inputs, async (input) => {
        const { verdict, took } = await timed(() => take(input));
        seen.inputs++;
        if (verdict.passed) seen.passed++;
        seen.slowest = Math.max(seen.slowest, took);
        if (verdict.wrong !== undefined) throw new Error(verdict.wrong);
        if (took > longest) throw new Error(`took ${took.toFixed(0)} ms`);
      });
      const details = await fc.check(property, { seed, numRuns: runs, interruptAfterTimeLimit: 3_600_000 });
      await close();
      const { errorInstance: error } = details;
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const finding = details.failed ? `${await fc.asyncDefaultReportMessage(details)}\n${why}` : undefined;
      return { name, ...seen, finding };
    },
  };
}

async function timed(
  act: () => Verdict | Promise<Verdict>,
): Promise<{ readonly verdict: Verdict; readonly took: number }> {
  let took = Number.POSITIVE_INFINITY;
  for (let attempt = 0; ; attempt++) {
    const started = process.threadCpuUsage();
    const result = act();
    const verdict = result instanceof Promise ? await result : result;
    const { user, system } = process.threadCpuUsage(started);
    took = Math.min(took, (user + system) / 1000);
    if (took <= longest || attempt === tries) return { verdict, took };
  }
}
