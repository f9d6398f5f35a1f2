import type { SimOptions } from "./main-options.ts";
import { readOptions, usage } from "./main-options.ts";
import { outcomesOf } from "./outcomes.ts";
import { planOf } from "./plan.ts";
import type { PlantedBug } from "./plants.ts";
import { plantedBugs } from "./plants.ts";
import type { Outcome } from "./run-schedule.ts";
import { runSchedule } from "./run-schedule.ts";
import { shrink, withOnly } from "./shrink.ts";

/** Lines of a schedule's trace that are printed with its violation. */
const tailLines = 60;
/** Milliseconds between two lines of progress. */
const progressEvery = 2000;

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

async function run(given: SimOptions): Promise<number> {
  const { plant: name } = given;
  if (name === "all") return table(given);
  const plant = name === undefined ? undefined : plantedBugs.find((bug) => bug.name.includes(name));
  if (name !== undefined && plant === undefined) {
    say(`no planted bug of that name; there are:\n${plantedBugs.map((bug) => `  ${bug.name}`).join("\n")}`);
    return 2;
  }
  return runAll(given, plant);
}

async function runAll(given: SimOptions, plant: PlantedBug | undefined): Promise<number> {
  const { seeds, trace, only, first, jobs } = given;
  const started = performance.now();
  let violations = 0;
  let done = 0;
  let lastWord = started;
  say(`${seeds.length} schedules from seed ${seeds[0]}`);
  const isWatched = trace || only !== undefined;
  for await (const outcome of isWatched ? watched(given, plant) : outcomesOf({ seeds, jobs, plant })) {
    done++;
    if (outcome.violation !== undefined) {
      violations++;
      await report(outcome, given, plant);
      if (first) break;
    }
    const now = performance.now();
    if (now - lastWord < progressEvery && done < seeds.length) continue;
    lastWord = now;
    say(
      `${done} of ${seeds.length} schedules, ${violations} violations, ${((now - started) / done).toFixed(0)} ms each`,
    );
  }
  const result = { schedules: done, violations, seeds: [seeds[0], seeds[done - 1]] };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return violations > 0 ? 1 : 0;
}

/** In this thread, with all that is to be seen of it. */
async function* watched(
  { seeds, trace, only }: SimOptions,
  plant: PlantedBug | undefined,
): AsyncGenerator<Outcome, void, void> {
  for (const seed of seeds) {
    const plan = only === undefined ? planOf(seed) : withOnly(planOf(seed), only);
    yield await runSchedule(plan, {
      ...(plant === undefined ? {} : { plant }),
      ...(trace ? { echo: say } : {}),
    });
  }
}

async function report(outcome: Outcome, given: SimOptions, plant: PlantedBug | undefined): Promise<void> {
  const { seed, violation } = outcome;
  const plan = planOf(seed);
  if (given.trace) return say(`seed ${seed}: invariant ${violation?.invariant}: ${violation?.text}`);
  const replay = `npm run sim -- --seed ${seed}${given.plant === undefined ? "" : ` --plant "${given.plant}"`}`;
  // What does not end cannot be played again and again in this thread.
  const shrunk =
    given.shrinks && violation?.invariant !== "endless"
      ? await shrink(plan, outcome, plant === undefined ? {} : { plant })
      : { outcome, kept: undefined };
  for (const line of shrunk.outcome.tail.slice(-tailLines)) say(`  ${line}`);
  say(`seed ${seed}: invariant ${violation?.invariant}: ${violation?.text}`);
  say(`replay: ${replay} --trace`);
  if (shrunk.kept === undefined) return;
  const left = `${shrunk.kept.length} of ${plan.actions.length} actions`;
  say(`as short as it gets (${left}, shown above): ${replay} --only ${shrunk.kept.join() || "none"} --trace`);
}

/** How fast each planted bug is found: by which check, after how many schedules. */
async function table(given: SimOptions): Promise<number> {
  let missed = 0;
  for (const bug of plantedBugs) {
    const found = await find(bug, given);
    if (found === undefined) missed++;
    process.stdout.write(`| ${bug.name} | ${found ?? `not within ${given.seeds.length}`} |\n`);
  }
  return missed > 0 ? 1 : 0;
}

async function find(plant: PlantedBug, { seeds }: SimOptions): Promise<string | undefined> {
  const started = performance.now();
  for (const [index, seed] of seeds.entries()) {
    const { violation } = await runSchedule(planOf(seed), { plant });
    if (violation === undefined) continue;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    return `${violation.invariant} | ${index + 1} | ${seconds}`;
  }
  return undefined;
}
