import type { MetricTotals } from "../observe/metrics.ts";

/** The short table at the end. */
export function summaryOf(totals: MetricTotals): string {
  const { pods } = totals.events;
  const seen = Object.values(pods).reduce((sum, count) => sum + count, 0);
  const share = (count: number): string => (seen === 0 ? "" : `${((100 * count) / seen).toFixed(1)} %`);
  const drops = Object.entries(pods).filter(([outcome, count]) => outcome !== "kept" && count > 0);
  const written = totals.writes.filter(({ count }) => count > 0);
  const { p50, p99, count } = totals.propagation;
  const ms = (seconds: number | undefined): string =>
    seconds === undefined ? "–" : `${(seconds * 1000).toFixed(1)} ms`;
  return table([
    ["events seen", String(seen), ""],
    ["  kept", String(pods.kept), share(pods.kept)],
    ...drops.map(([outcome, dropped]) => [`  dropped: ${outcome}`, String(dropped), share(dropped)] as const),
    ...written.map(
      ({ lane, resource, result, count: writes }) =>
        [`${lane} ${resource} writes, ${result}`, String(writes), ""] as const,
    ),
    ["drift repaired", String(totals.repaired.upstream + totals.repaired.route), ""],
    [`propagation of ${count} writes, p50`, ms(p50), ""],
    ["  p99", ms(p99), ""],
  ]);
}

function table(rows: readonly (readonly [string, string, string])[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = ([what, value, share]: readonly [string, string, string]): string =>
    `${what.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${share.padStart(widths[2] ?? 0)}`.trimEnd();
  return rows.map((row) => `${line(row)}\n`).join("");
}
