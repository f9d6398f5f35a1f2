import type { Bench, Outcome, Row } from "./bench.ts";
import { median, shown } from "./statistics.ts";
import { bound, isMet, type Targets } from "./targets.ts";

/** The line of JSON that ends a bench. */
export interface Verdict {
  readonly bench: string;
  readonly ratios: Readonly<Record<string, number>>;
  readonly target: Targets;
  readonly met: boolean;
}

export function verdictOf(bench: Bench, { ratios }: Outcome, all: Targets): Verdict {
  const target = Object.fromEntries(
    Object.entries(all).filter(([name, { optional = false }]) => !optional || name in ratios),
  );
  const met = Object.entries(target).every(([name, wanted]) => isMet(wanted, ratios[name]));
  return { bench: bench.name, ratios, target, met };
}

/** The bench's part of RESULTS.md. */
export function partText(
  bench: Bench,
  quick: boolean,
  outcome: Outcome,
  { target, ratios }: Verdict,
  environment: readonly string[],
): string {
  const judged = Object.entries(target).map(([name, wanted]) => {
    const value = ratios[name] ?? NaN;
    return `| ${name} | ${wanted.says} | ${bound(wanted)} | ${shown(value)} | ${isMet(wanted, value) ? "met" : missed(wanted, value)} |`;
  });
  return [
    `## ${bench.name}${quick ? " (quick: fewer objects and rounds)" : ""}: ${bench.title}`,
    environment.map((line) => `- ${line}`).join("\n"),
    ["| ratio | what | target | value | |", "|---|---|---|---|---|", ...judged].join("\n"),
    ...outcome.tables.map(({ title, rows }) => tableText(title, rows)),
    outcome.notes.map((note) => `- ${note}`).join("\n"),
  ].join("\n\n");
}

function missed(wanted: { readonly min?: number; readonly max?: number }, value: number): string {
  const limit = value < (wanted.min ?? -Infinity) ? wanted.min : wanted.max;
  if (limit === undefined || limit === 0 || !Number.isFinite(value)) return "**missed**";
  return `**missed**: ${shown(value / limit)} × the target`;
}

/** Median and each round's value, in the order of the rounds. */
export function tableText(title: string, rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, unit, values }) =>
      `| ${name} | ${unit} | ${shown(median(values))} | ${values.map(shown).join(", ")} |`,
  );
  return [`### ${title}`, "", "| what | unit | median | every round |", "|---|---|---|---|", ...lines].join(
    "\n",
  );
}
