import { countsOf, type EventOutcome } from "../observe/event-counts.ts";
import type { MetricTotals } from "../observe/metrics.ts";
import type { WriteOutcome } from "../write/outcome.ts";

type Row = readonly [what: string, value: string, share: string, meaning: string];

/** The short table at the end. */
export function summaryOf(totals: MetricTotals): string {
  const counts = countsOf(totals.events);
  const seen = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const share = (count: number): string => (seen === 0 ? "" : `${((100 * count) / seen).toFixed(1)} %`);
  const drops = (Object.keys(dropMeanings) as (keyof typeof dropMeanings)[]).filter(
    (reason) => counts[reason] > 0,
  );
  const written = totals.writes.filter(({ count }) => count > 0);
  const { p50, p99, count } = totals.propagation;
  const ms = (seconds: number | undefined): string =>
    seconds === undefined ? "–" : `${(seconds * 1000).toFixed(1)} ms`;
  const rows: Row[] = [
    ["events seen", String(seen), "", "what the clusters' watches sent"],
    ["  kept", String(counts.kept), share(counts.kept), "may change a route or its nodes"],
    ...drops.map((reason): Row => {
      return [`  dropped: ${reason}`, String(counts[reason]), share(counts[reason]), dropMeanings[reason]];
    }),
    ...written.map((row): Row => {
      const { lane, resource, result } = row;
      return [`${lane} ${resource} writes, ${result}`, String(row.count), "", writeMeaning(row)];
    }),
    ["drift repaired", String(repairedOf(totals)), "", "edits by others, undone"],
    [`propagation of ${count} writes, p50`, ms(p50), "", "from a watch event to APISIX's answer"],
    ["  p99", ms(p99), "", "with the wait of gathered route writes"],
  ];
  return `In this demo:\n${table(rows)}`;
}

const dropMeanings: Readonly<Record<Exclude<EventOutcome, "kept">, string>> = {
  generation: "told by uid and generation, of EndpointSlices",
  identical: "told by a hash of the bytes that count, nothing decoded",
  unchanged: "decoded: nothing that a route is made of had changed",
  unselected: "the object does not carry the label",
  absent: "the end of an object that was not kept",
  malformed: "not as Kubernetes sends it",
  stale: "said by a watch that has been replaced",
  unreadable: "neither JSON nor protobuf as Kubernetes sends it: listed anew",
};

const outcomeMeanings: Readonly<Partial<Record<WriteOutcome, string>>> = {
  retry: "did not succeed, tried again",
  refused: "APISIX did not accept them",
  unknown: "ended without an answer, read back",
};

function writeMeaning({ lane, resource, result }: MetricTotals["writes"][number]): string {
  const meaning = outcomeMeanings[result];
  if (meaning !== undefined) return meaning;
  if (lane === "drip") return "nodes: each at once";
  return resource === "route"
    ? "gathered: each makes APISIX rebuild its router"
    : "new or gone with their routes";
}

const repairedOf = ({ repaired }: MetricTotals): number => repaired.upstream + repaired.route;

function table(rows: readonly Row[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = ([what, value, share, meaning]: Row): string =>
    [
      what.padEnd(widths[0] ?? 0),
      value.padStart(widths[1] ?? 0),
      share.padStart(widths[2] ?? 0),
      meaning,
    ].join("  ");
  return rows.map((row) => `  ${line(row)}\n`).join("");
}
