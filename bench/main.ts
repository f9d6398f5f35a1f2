import { ablation } from "./ablation/ablation.ts";
import type { Bench } from "./bench.ts";
import { churn } from "./churn/churn.ts";
import { environment, load } from "./environment.ts";
import { fleet } from "./fleet/fleet.ts";
import { first } from "./first/first.ts";
import { ingest } from "./ingest/ingest.ts";

import { growth } from "./growth/growth.ts";
import { partText, tableText, verdictOf } from "./report.ts";
import { writePart } from "./results-file.ts";
import { targetsOf } from "./targets.ts";

/** Every bench; a new one is a line here, its targets in targets.json. */
const benches: readonly Bench[] = [first, ingest, churn, ablation, growth, fleet];

const usage = `usage: npm run bench -- [NAME…] [--quick]\nbenches: ${benches.map(({ name }) => name).join(", ")}`;

const quick = process.argv.includes("--quick");
const names = process.argv.slice(2).filter((argument) => argument !== "--quick");
const wanted = names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));

if (names.some((name) => !benches.some((bench) => bench.name === name))) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
for (const bench of wanted) await runBench(bench);

/** People read standard error; standard output is the line of JSON alone. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function runBench(bench: Bench): Promise<void> {
  const begun = process.hrtime.bigint();
  const where = environment();
  say(`bench ${bench.name}: ${bench.title}\n${where.map((line) => `  ${line}`).join("\n")}`);
  const outcome = await bench.run({ quick, say: (line) => say(`  ${line}`) });
  const verdict = verdictOf(bench, outcome, targetsOf(bench.name));
  const seconds = Math.round(Number(process.hrtime.bigint() - begun) / 1e9);
  where.push(`load average when it ended: ${load()}; it took ${seconds} s`);
  for (const { title, rows } of outcome.tables) say(`\n${tableText(title, rows)}`);
  writePart(quick ? `${bench.name} quick` : bench.name, partText(bench, quick, outcome, verdict, where));
  say(`\nwritten to bench/RESULTS.md`);
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
}
