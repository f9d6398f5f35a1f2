import { parseArgs } from "node:util";
import { ablation } from "./ablation/ablation.ts";
import { audit } from "./audit/audit.ts";
import type { Bench, LiveGateway } from "./bench.ts";
import { churn } from "./churn/churn.ts";
import { environment, load } from "./environment.ts";
import { faults } from "./faults/faults.ts";
import { fleet } from "./fleet/fleet.ts";
import { failover } from "./failover/failover.ts";
import { first } from "./first/first.ts";
import { ingest } from "./ingest/ingest.ts";
import { gateway } from "./gateway/gateway.ts";
import { ingestProcess } from "./ingest-process/ingest-process.ts";

import { growth } from "./growth/growth.ts";
import { partText, tableText, verdictOf } from "./report.ts";
import { writePart } from "./results-file.ts";
import { targetsOf } from "./targets.ts";
import { writer } from "./writer/writer.ts";

/** Every bench; a new one is a line here, its targets in targets.json. */
const benches: readonly Bench[] = [
  ...[first, failover, ingest, ingestProcess, churn],
  ...[ablation, growth, fleet, audit, writer, gateway, faults],
];

const usage = `usage: npm run bench -- [NAME…] [--quick] [--admin-url URL --proxy-url URL, with APISIX_ADMIN_KEY]\nbenches: ${benches.map(({ name }) => name).join(", ")}`;

const quick = process.argv.includes("--quick");
const { names, live } = readArguments(process.argv.slice(2).filter((argument) => argument !== "--quick"));
const wanted = names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));

if (names.some((name) => !benches.some((bench) => bench.name === name))) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
for (const bench of wanted) await runBench(bench);

/** A run against a real APISIX keeps its own part: not every run has one. */
function partName({ name, usesLive = false }: Bench): string {
  return [name, ...(usesLive && live !== undefined ? ["live"] : []), ...(quick ? ["quick"] : [])].join(" ");
}

function readArguments(given: readonly string[]): {
  readonly names: readonly string[];
  readonly live: LiveGateway | undefined;
} {
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: { "admin-url": { type: "string" }, "proxy-url": { type: "string" } },
  });
  const { "admin-url": adminUrl, "proxy-url": proxyUrl } = values;
  const key = process.env["APISIX_ADMIN_KEY"];
  if (adminUrl === undefined || proxyUrl === undefined || key === undefined)
    return { names: positionals, live: undefined };
  return { names: positionals, live: { adminUrl, proxyUrl, key } };
}

/** People read standard error; standard output is the line of JSON alone. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function runBench(bench: Bench): Promise<void> {
  const begun = process.hrtime.bigint();
  const where = environment();
  say(`bench ${bench.name}: ${bench.title}\n${where.map((line) => `  ${line}`).join("\n")}`);
  const outcome = await bench.run({
    quick,
    ...(live === undefined ? {} : { live }),
    say: (line) => say(`  ${line}`),
  });
  const verdict = verdictOf(bench, outcome, targetsOf(bench.name));
  const seconds = Math.round(Number(process.hrtime.bigint() - begun) / 1e9);
  where.push(`load average when it ended: ${load()}; it took ${seconds} s`);
  for (const { title, rows } of outcome.tables) say(`\n${tableText(title, rows)}`);
  writePart(partName(bench), partText(bench, quick, outcome, verdict, where));
  say(`\nwritten to bench/RESULTS.md`);
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
}
