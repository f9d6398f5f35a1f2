import { parseArgs } from "node:util";
import { planOf } from "./plan.ts";
import type { Outcome } from "./run-schedule.ts";
import { runSchedule } from "./run-schedule.ts";

const usage = `npm run sim -- --schedules N [--from SEED] | --seed N [--trace]

Runs schedules of the deterministic simulation. --from defaults to a seed drawn from the time. Exit 1: a violation.
`;

/** Lines of a schedule's trace that are printed with its violation. */
const tailLines = 60;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

process.on("unhandledRejection", (error) => {
  say(`unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`);
  process.exit(1);
});

const options = readOptions();
if (options === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else process.exitCode = await run(options);

interface Options {
  readonly seeds: readonly number[];
  readonly trace: boolean;
}

function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        schedules: { type: "string" },
        from: { type: "string" },
        seed: { type: "string" },
        trace: { type: "boolean", default: false },
      },
    });
    const { trace } = values;
    if (values.seed !== undefined) return { seeds: [whole(values.seed)], trace };
    const count = whole(values.schedules ?? "50");
    const first = values.from === undefined ? (Date.now() % 1_000_000) * 1000 : whole(values.from);
    return { seeds: Array.from({ length: count }, (_, index) => first + index), trace };
  } catch {
    return undefined;
  }
}

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new RangeError(`not a whole number: ${text}`);
  return Number(text);
}

async function run({ seeds, trace }: Options): Promise<number> {
  const violations: Outcome[] = [];
  const started = performance.now();
  let lastWord = started;
  for (const [index, seed] of seeds.entries()) {
    const outcome = await runSchedule(planOf(seed), trace ? { echo: say } : {});
    if (outcome.violation !== undefined) {
      violations.push(outcome);
      report(outcome, trace);
    }
    const now = performance.now();
    if (now - lastWord < 2000 && index < seeds.length - 1) continue;
    lastWord = now;
    const each = ((now - started) / (index + 1)).toFixed(0);
    say(`${index + 1} of ${seeds.length} schedules, ${violations.length} violations, ${each} ms each`);
  }
  const result = {
    schedules: seeds.length,
    violations: violations.length,
    seeds: [seeds[0], seeds.at(-1)],
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return violations.length > 0 ? 1 : 0;
}

function report({ seed, violation, tail }: Outcome, isTraced: boolean): void {
  if (!isTraced) for (const line of tail.slice(-tailLines)) say(`  ${line}`);
  say(`seed ${seed}: invariant ${violation?.invariant}: ${violation?.text}`);
  say(`replay: npm run sim -- --seed ${seed} --trace`);
}
