/** `npm run soak -- --minutes 30`: churn with faults, and whether the translator holds more at its end than after a while. */
import { parseArgs } from "node:util";
import { soak } from "./soak.ts";

const usage = "usage: npm run soak -- [--minutes N] [--per-second N] [--seed N]\n";
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const options = readOptions();
if (options === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  say(`soak of ${options.minutes} minutes, ${options.perSecond} changes a second, seed ${options.seed}`);
  const result = await soak({ ...options, say });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = result.leaks.length === 0 ? 0 : 1;
}

interface Options {
  readonly minutes: number;
  readonly perSecond: number;
  readonly seed: number;
}

function readOptions(): Options | undefined {
  const texts = { minutes: "2", "per-second": "10", seed: String(Date.now() % 100_000) };
  try {
    const { values } = parseArgs({
      options: { minutes: { type: "string" }, "per-second": { type: "string" }, seed: { type: "string" } },
    });
    const given = { ...texts, ...values };
    const [minutes, perSecond, seed] = [given.minutes, given["per-second"], given.seed].map(Number);
    if (!(minutes! > 0 && perSecond! > 0 && seed! >= 0)) return undefined;
    return { minutes: minutes!, perSecond: perSecond!, seed: seed! };
  } catch {
    return undefined;
  }
}
