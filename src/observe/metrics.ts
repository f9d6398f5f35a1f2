import { Registry, collectDefaultMetrics } from "prom-client";
import type { Histogram } from "prom-client";
import type { Resource } from "../apisix/types.ts";
import type { WriteObserver } from "../write/outcome.ts";
import type { Kind } from "../watch/events.ts";
import { noEvents } from "./event-counts.ts";
import type { EventCounts, EventOutcome } from "./event-counts.ts";
import { declareCounters } from "./metric-counters.ts";
import { declareGauges } from "./metric-gauges.ts";
import type { MetricsSnapshot } from "./metric-gauges.ts";
import { declareHistograms } from "./metric-histograms.ts";
import { restartReasons } from "./metric-names.ts";
import { Quantiles } from "./quantiles.ts";
import { WriteCounts } from "./write-counts.ts";
import type { WriteCount } from "./write-counts.ts";

/** What has been counted since the start, for `/status` and the demo. */
export interface MetricTotals {
  readonly events: EventCounts;
  readonly writes: readonly Readonly<WriteCount>[];
  readonly repaired: Readonly<Record<Resource, number>>;
  readonly workerRestarts: number;
  /** Seconds, 2 % exact; undefined while nothing has been written. */
  readonly propagation: {
    readonly count: number;
    readonly p50: number | undefined;
    readonly p99: number | undefined;
  };
}

/** Stages of which the CPU time is known. `diff`: the shards' threads, in which `desired` runs too. */
const stages = ["filter", "shard", "claims", "write", "diff"];

/** Every metric of the process. Stages are handed the narrow part that they feed. */
export interface Metrics extends WriteObserver {
  /** One watch event went through the filter, or not. Costs one addition. */
  event(kind: Kind, outcome: EventOutcome): void;
  /** A request that the writer does not tell of itself: a read, a list, a check. `resource`: of a closed list. */
  adminRequest(method: "GET" | "PUT" | "DELETE" | "POST", resource: string, seconds: number): void;
  /** CPU time that a stage took. `stage` is the name of its directory. */
  stageCpu(stage: string, seconds: number): void;
  /** A worker thread was replaced. `reason` is a word of a closed list, never text from outside. */
  workerRestarted(reason: string): void;
  totals(): MetricTotals;
  /** Prometheus text format 0.0.4. */
  text(snapshot: MetricsSnapshot): Promise<string>;
}

export interface MetricsOptions {
  readonly version?: string;
  /** Node's own metrics (memory, event loop, garbage collection), under prom-client's names. */
  readonly withProcess?: boolean;
}

/** Declares every metric once, in a registry of its own. The methods may be handed on without their object. */
export function createMetrics({ version = "unknown", withProcess = true }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const events = noEvents();
  const writes = new WriteCounts();
  const repaired = { upstream: 0, route: 0 };
  const cpu = new Map<string, number>(stages.map((stage) => [stage, 0]));
  const restarts = new Map<string, number>(restartReasons.map((reason) => [reason, 0]));
  const quantiles = new Quantiles();
  declareCounters(registry, { events, writes, repaired, cpu, restarts });
  const { propagation, requests } = declareHistograms(registry);
  const showGauges = declareGauges(registry, version);
  // Finding a label set by its values costs more than counting with it.
  const requestsOf = new Map<string, Pick<Histogram.Internal<string>, "observe">>();
  const request = (method: string, resource: string, seconds: number): void => {
    const key = `${method} ${resource}`;
    const known = requestsOf.get(key) ?? requests.labels({ method, resource });
    requestsOf.set(key, known);
    known.observe(seconds);
  };
  if (withProcess) collectDefaultMetrics({ register: registry });

  return {
    event(kind, outcome) {
      events[kind][outcome] += 1;
    },
    wrote(write) {
      writes.add(write.lane, write.resource, write.outcome);
      request(write.method, write.resource, write.seconds);
      if (write.propagation === undefined) return;
      propagation.observe(write.propagation / 1000);
      quantiles.add(write.propagation / 1000);
    },
    repaired(resource) {
      repaired[resource] += 1;
    },
    adminRequest: request,
    stageCpu: (stage, seconds) => add(cpu, stage, seconds),
    workerRestarted: (reason) => add(restarts, reason, 1),
    totals: () => ({
      events: structuredClone(events),
      writes: writes.rows(),
      repaired: { ...repaired },
      workerRestarts: [...restarts.values()].reduce((all, count) => all + count, 0),
      propagation: { count: quantiles.total, p50: quantiles.at(0.5), p99: quantiles.at(0.99) },
    }),
    text(snapshot) {
      showGauges(snapshot);
      return registry.metrics();
    },
  };
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}
