import type { PlanReport, PlannedChange } from "./plan-report.ts";

const signs = { create: "+", update: "~", delete: "-", conflict: "!", frozen: "=", invalid: "?" } as const;

/** A plan for people: one line a change, then the sums. */
export function planText({ summary, changes }: PlanReport): string {
  const sums = Object.entries(summary).map(([action, count]) =>
    `${count} to ${action}`.replace(/ to (conflict|frozen|invalid)$/, " $1"),
  );
  return [...changes.map(lineOf), sums.join(", ")].map((line) => `${line}\n`).join("");
}

function lineOf(change: PlannedChange): string {
  const { action, resource, id, cluster, kind, namespace, name, route, reason } = change;
  const place = [cluster, namespace, kind, name, route].filter((part) => part !== "").join("/");
  const why = reason === undefined || reason === "" ? "" : `: ${reason}`;
  return `${signs[action]} ${action.padEnd(8)} ${resource.padEnd(8)} ${place}${id === "" ? "" : ` (${id})`}${why}`;
}
