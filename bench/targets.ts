import { readFileSync } from "node:fs";

/** What a bench must reach in one of its ratios; both bounds are inclusive. */
export interface Target {
  readonly min?: number;
  readonly max?: number;
  /** Judged only where it was measured: it needs what not every machine has. */
  readonly optional?: boolean;
  /** What the ratio means, for the table. */
  readonly says: string;
}

export type Targets = Readonly<Record<string, Target>>;

/** The targets of one bench, from the one file that holds them all. */
export function targetsOf(bench: string): Targets {
  const all = JSON.parse(readFileSync(new URL("targets.json", import.meta.url), "utf8")) as Record<
    string,
    Targets
  >;
  return all[bench] ?? {};
}

/** Absent or not finite is not met: what was not measured was not reached. */
export function isMet(target: Target, value: number | undefined): boolean {
  if (value === undefined || !Number.isFinite(value)) return false;
  return value >= (target.min ?? -Infinity) && value <= (target.max ?? Infinity);
}

export function bound({ min, max }: Target): string {
  return [min === undefined ? "" : `≥ ${min}`, max === undefined ? "" : `≤ ${max}`]
    .filter((part) => part !== "")
    .join(", ");
}
