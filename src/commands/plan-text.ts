import { groupTitle } from "../observe/group-title.ts";
import type { PlanReport, PlannedChange } from "./plan-report.ts";

const signs = {
  create: "+",
  update: "~",
  delete: "-",
  conflict: "!",
  frozen: "=",
  invalid: "?",
  forbidden: "x",
} as const;

/** A plan for people: one line a change, then the sums. */
export function planText({ summary, changes }: PlanReport): string {
  const forbidden = changes.filter(({ isForbidden }) => isForbidden === true).length;
  const told = { ...summary, invalid: summary.invalid - forbidden, ...(forbidden > 0 ? { forbidden } : {}) };
  const sums = Object.entries(told).map(([action, count]) =>
    `${count} to ${action}`.replace(/ to (conflict|frozen|invalid|forbidden)$/, " $1"),
  );
  return [...changes.map(lineOf), sums.join(", ")].map((line) => `${line}\n`).join("");
}

function lineOf(change: PlannedChange): string {
  const { resource, id, cluster, kind, namespace, name, route, reason, pairs = [] } = change;
  const action = change.isForbidden === true ? "forbidden" : change.action;
  const title = change.group ?? groupTitle({ cluster, kind, namespace, name, route });
  const where = pairs.length === 0 ? "" : ` → ${shortened(pairs)}`;
  const why = reason === undefined || reason === "" ? "" : `: ${reason}`;
  return `${signs[action]} ${action.padEnd(8)} ${resource.padEnd(8)} ${title}${id === "" ? "" : ` [${id}]`}${where}${why}`;
}

const mostPairs = 3;

function shortened(pairs: readonly string[]): string {
  const more = pairs.length - mostPairs;
  return pairs.slice(0, mostPairs).join(" ") + (more > 0 ? ` and ${more} more` : "");
}
