import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { noStates } from "../../src/observe/count-states.ts";
import { eventOutcomes } from "../../src/observe/event-counts.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { states } from "../../src/observe/state.ts";
import { WriteCounts } from "../../src/observe/write-counts.ts";
import { parseMetrics } from "../observe/parse-metrics.ts";
import { read } from "./deploy-files.ts";

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string }[];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

const { panels } = JSON.parse(read("deploy/dashboard.json")) as { readonly panels: readonly Panel[] };
const { groups } = parse(read("deploy/alerts.yaml")) as {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);
const shown = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));
const asked = [...shown, ...alerts.map(({ alert, expr }) => [alert, expr] as const)];

/** Values of the labels that have a closed list. */
const words: Readonly<Record<string, readonly string[]>> = {
  state: states,
  outcome: eventOutcomes,
  result: new WriteCounts().rows().map(({ result }) => result),
};

describe("dashboard and alerts", () => {
  it.each(asked)("%s asks for metrics that there are", async (_, expr) => {
    const names = expr.match(/\b(?:apisix_translator|nodejs|process)_\w+/g) ?? [];
    expect(names).not.toHaveLength(0);
    const exported = await exportedNames();
    for (const name of names) expect(exported, name).toContain(name);
  });

  it.each(asked)("%s asks for label values that there are, in balanced brackets", (_, expr) => {
    for (const [, label = "", text = ""] of expr.matchAll(/(\w+)=~?"([^"]*)"/g))
      if (label !== "job") expect(words[label], label).toEqual(expect.arrayContaining(text.split("|")));
    for (const [open, close] of ["()", "{}", "[]"].map((pair) => [...pair] as [string, string]))
      expect(expr.split(open).length).toBe(expr.split(close).length);
  });

  it("has each own metric on the dashboard", async () => {
    const text = shown.map(([, expr]) => expr).join("\n");
    for (const name of (await families()).keys())
      if (name.startsWith("apisix_translator_")) expect(text).toContain(name);
  });

  it("overlaps no panels", () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it("has a name of its own for each alert, and says what an operator should do", () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { labels, annotations } of alerts) {
      expect(["critical", "warning", "info"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
      expect(annotations.action.length).toBeGreaterThan(40);
    }
  });

  it("has each alert in docs/operations.md, in the same words", () => {
    const text = read("docs/operations.md");
    for (const { alert, labels, annotations } of alerts)
      expect(text).toContain(`| \`${alert}\` | ${labels.severity} | ${annotations.action} |`);
  });
});

async function families(): Promise<ReadonlyMap<string, string>> {
  const text = await createMetrics().text({
    ...{ declarations: noStates(), clusters: [], queues: { drip: 0, burst: 0 } },
    ...{ nextBurst: 0, guardHeld: 0, isLeader: true },
  });
  return parseMetrics(text).types;
}

async function exportedNames(): Promise<string[]> {
  return [...(await families())].flatMap(([name, type]) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name],
  );
}
