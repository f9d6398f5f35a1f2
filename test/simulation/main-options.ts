import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { codeSeed } from "./code-seed.ts";

export const usage = `npm run sim -- [--schedules N] [--from SEED|code] [--jobs N] [--first] [--no-shrink] [--plant NAME]
               --seed N [--trace] [--only N,N,…] [--plant NAME]

Runs schedules of the deterministic simulation: 50, from a seed drawn from the time. Exit 1: a violation.

  --from code   from a seed that follows from the code: another change, other schedules
  --jobs N      runs so many schedules at once; as many as there are cores, if not given
  --first       ends with the first violation
  --no-shrink   a failing schedule is otherwise made as short as it gets
  --trace       prints everything that happens
  --only N,N    only these of the schedule's actions
  --plant NAME  plants a bug first (part of its name will do); "all": each in turn, and prints how fast each is found
`;

export interface SimOptions {
  readonly seeds: readonly number[];
  readonly jobs: number;
  readonly trace: boolean;
  readonly first: boolean;
  readonly shrinks: boolean;
  readonly only: readonly number[] | undefined;
  readonly plant: string | undefined;
}

const schedulesByDefault = "50";

/** Undefined: bad usage. */
export function readOptions(): SimOptions | undefined {
  try {
    const { values } = parseArgs({
      options: {
        schedules: { type: "string" },
        from: { type: "string" },
        seed: { type: "string" },
        jobs: { type: "string", default: String(availableParallelism()) },
        trace: { type: "boolean", default: false },
        first: { type: "boolean", default: false },
        "no-shrink": { type: "boolean", default: false },
        only: { type: "string" },
        plant: { type: "string" },
      },
    });
    const { trace, first, plant } = values;
    const only = values.only === undefined ? undefined : listOf(values.only);
    const jobs = whole(values.jobs);
    const given = { jobs, trace, first, plant, only, shrinks: !values["no-shrink"] && only === undefined };
    if (values.seed !== undefined) return { ...given, seeds: [whole(values.seed)] };
    const count = whole(values.schedules ?? schedulesByDefault);
    const start = startOf(values.from);
    return { ...given, seeds: Array.from({ length: count }, (_, index) => start + index) };
  } catch {
    return undefined;
  }
}

function startOf(from: string | undefined): number {
  if (from === undefined) return (Date.now() % 1_000_000) * 1000;
  return from === "code" ? codeSeed() : whole(from);
}

function listOf(text: string): number[] {
  return text === "none" ? [] : text.split(",").map(whole);
}

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new RangeError(`not a whole number: ${text}`);
  return Number(text);
}
