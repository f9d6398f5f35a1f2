import { Counter } from "prom-client";
import type { Registry } from "prom-client";
import type { Resource } from "../apisix/types.ts";
import { eventOutcomes, kinds } from "./event-counts.ts";
import type { EventCounts } from "./event-counts.ts";
import { metricPrefix } from "./metric-names.ts";
import type { WriteCounts } from "./write-counts.ts";

export interface Counted {
  readonly events: EventCounts;
  readonly writes: WriteCounts;
  readonly repaired: Readonly<Record<Resource, number>>;
  readonly cpu: ReadonlyMap<string, number>;
  readonly restarts: ReadonlyMap<string, number>;
}

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Counters that are filled in when they are scraped: prom-client sorts and joins the labels at each increment, also for
 * a child that was resolved before, and the filter counts every event of the fleet.
 */
export function declareCounters(registry: Registry, counted: Counted): void {
  const declare = (name: string, help: string, labelNames: string[], rows: () => readonly Row[]): void => {
    const counter: Counter = new Counter({
      ...{ name: `${metricPrefix}${name}`, help, labelNames, registers: [registry] },
      collect() {
        counter.reset();
        for (const { labels, value } of rows()) counter.inc(labels, value);
      },
    });
  };
  declare("events_total", "Watch events, by what became of them.", ["kind", "outcome"], () =>
    kinds.flatMap((kind) =>
      eventOutcomes.map((outcome) => ({ labels: { kind, outcome }, value: counted.events[kind][outcome] })),
    ),
  );
  declare("writes_total", "Requests that change APISIX.", ["lane", "resource", "result"], () =>
    counted.writes
      .rows()
      .map(({ lane, resource, result, count }) => ({ labels: { lane, resource, result }, value: count })),
  );
  declare("drift_repaired_total", "Objects restored that somebody else changed.", ["resource"], () =>
    Object.entries(counted.repaired).map(([resource, value]) => ({ labels: { resource }, value })),
  );
  declare(
    "stage_cpu_seconds_total",
    "CPU time of each stage; diff: the threads of the shards, desired too.",
    ["stage"],
    () => [...counted.cpu].map(([stage, value]) => ({ labels: { stage }, value })),
  );
  declare("worker_restarts_total", "Worker threads replaced.", ["reason"], () =>
    [...counted.restarts].map(([reason, value]) => ({ labels: { reason }, value })),
  );
}
