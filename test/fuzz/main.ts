import { parseArgs } from "node:util";
import { fuzz, targets } from "./run.ts";

/** `npm run fuzz -- [--inputs N] [--seed S] [--only NAME,…]`: exit 1 where something was found. */
const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string", default: "" },
  },
});
const seed = Number(values.seed);
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const heap = (): number => process.memoryUsage().heapUsed / 2 ** 20;

const before = heap();
say(`seed ${seed}`);
const wanted = values.only.split(",");
const chosen = targets.filter(({ name }) => wanted.some((part) => name.includes(part)));
const results = await fuzz(
  chosen,
  Number(values.inputs),
  seed,
  ({ name, inputs, passed, slowest, finding }) => {
    say(
      `${name}: ${inputs} inputs, ${passed} passed the first parse, the slowest took ${slowest.toFixed(1)} ms`,
    );
    if (finding !== undefined) say(finding);
  },
);
const sum = (of: "inputs" | "passed"): number => results.reduce((all, result) => all + result[of], 0);
const findings = results.filter(({ finding }) => finding !== undefined).map(({ name }) => name);
const summary = {
  ...{ inputs: sum("inputs"), passed: sum("passed"), seed, findings },
  slowest: Math.max(...results.map(({ slowest }) => Math.round(slowest))),
  heapGrowthMiB: Math.round(heap() - before),
  cpuSeconds: Math.round((process.cpuUsage().user + process.cpuUsage().system) / 1e6),
};
process.stdout.write(`${JSON.stringify(summary)}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
