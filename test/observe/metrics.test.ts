import { describe, expect, it } from "vitest";
import { noStates } from "../../src/observe/count-states.ts";
import type { MetricsSnapshot } from "../../src/observe/metric-gauges.ts";
import { createMetrics } from "../../src/observe/metrics.ts";
import { parseMetrics } from "./parse-metrics.ts";

const snapshot: MetricsSnapshot = {
  declarations: { ...noStates(), Routed: 5, Conflict: 1 },
  clusters: [
    { name: "east", kinds: [["pods", { state: "synced" }]] },
    {
      name: "west",
      kinds: [
        ["pods", { state: "degraded" }],
        ["nodes", { state: "listing" }],
      ],
    },
  ],
  queues: { drip: 2, burst: 3 },
  nextBurst: 1500,
  guardHeld: 4,
  isLeader: true,
};

const write = { lane: "drip", method: "PUT", resource: "upstream", id: "t-1", seconds: 0.004 } as const;

describe("createMetrics", () => {
  it("tells every metric of PRODUCT.md, in text that parses", async () => {
    const metrics = createMetrics({ version: "1.2.3" });
    metrics.stageCpu("filter", 0.5);
    metrics.workerRestarted("memory");
    metrics.wrote({ ...write, outcome: "done", propagation: 3 });
    const { types } = parseMetrics(await metrics.text(snapshot));
    const ours = [...types].filter(([name]) => name.startsWith("apisix_translator_"));
    expect(Object.fromEntries(ours.map(([name, type]) => [name.slice(18), type]))).toEqual({
      ...{ declarations: "gauge", cluster_synced: "gauge", queue_depth: "gauge", leader: "gauge" },
      ...{ next_burst_seconds: "gauge", guard_held: "gauge", build_info: "gauge" },
      ...{ events_total: "counter", writes_total: "counter", drift_repaired_total: "counter" },
      ...{ stage_cpu_seconds_total: "counter", worker_restarts_total: "counter" },
      ...{ propagation_seconds: "histogram", admin_request_seconds: "histogram" },
    });
    expect(types.get("nodejs_eventloop_lag_p99_seconds")).toBe("gauge");
    expect(types.get("process_resident_memory_bytes")).toBe("gauge");
  });

  it("counts from 0 for every stage and every reason of a restart", async () => {
    const { values } = parseMetrics(await createMetrics({ withProcess: false }).text(snapshot));
    const zeros = [...values].filter(([name]) => /stage_cpu|worker_restarts/.test(name));
    expect(zeros.map(([name, value]) => `${name.slice(18)} ${value}`)).toEqual([
      ...["filter", "shard", "claims", "write", "diff"].map(
        (stage) => `stage_cpu_seconds_total{stage="${stage}"} 0`,
      ),
      ...["exit", "error", "memory", "hang", "protocol", "start"].map(
        (reason) => `worker_restarts_total{reason="${reason}"} 0`,
      ),
    ]);
  });

  it("shows gauges as they are when scraped, and forgets a cluster that has left", async () => {
    const metrics = createMetrics({ version: "1.2.3", withProcess: false });
    const { values } = parseMetrics(await metrics.text(snapshot));
    const shown = (name: string): number | undefined => values.get(`apisix_translator_${name}`);
    expect(shown('declarations{state="Routed"}')).toBe(5);
    expect(shown('declarations{state="Leaving"}')).toBe(0);
    expect(shown('cluster_synced{cluster="east",kind="pods"}')).toBe(1);
    expect(shown('cluster_synced{cluster="west",kind="pods"}')).toBe(0);
    expect(shown('queue_depth{lane="burst"}')).toBe(3);
    expect(shown("next_burst_seconds")).toBe(1.5);
    expect(shown("guard_held")).toBe(4);
    expect(shown("leader")).toBe(1);
    expect(shown(`build_info{version="1.2.3",node="${process.versions.node}"}`)).toBe(1);
    const later = await metrics.text({ ...snapshot, clusters: [], isLeader: false });
    expect(later).not.toContain("cluster_synced{");
    expect(parseMetrics(later).values.get("apisix_translator_leader")).toBe(0);
  });

  it("counts events and writes by label, from zero, and the same at each scrape", async () => {
    const metrics = createMetrics({ withProcess: false });
    metrics.event("pods", "kept");
    metrics.event("pods", "kept");
    metrics.event("nodes", "unchanged");
    metrics.wrote({ ...write, outcome: "done", propagation: 3 });
    metrics.wrote({ ...write, lane: "burst", resource: "route", outcome: "refused", propagation: undefined });
    metrics.repaired("route");
    metrics.adminRequest("GET", "routes", 0.2);
    await metrics.text(snapshot);
    const { values } = parseMetrics(await metrics.text(snapshot));
    const shown = (name: string): number | undefined => values.get(`apisix_translator_${name}`);
    expect(shown('events_total{kind="pods",outcome="kept"}')).toBe(2);
    expect(shown('events_total{kind="nodes",outcome="unchanged"}')).toBe(1);
    expect(shown('events_total{kind="services",outcome="malformed"}')).toBe(0);
    expect(shown('writes_total{lane="drip",resource="upstream",result="done"}')).toBe(1);
    expect(shown('writes_total{lane="burst",resource="route",result="refused"}')).toBe(1);
    expect(shown('writes_total{lane="burst",resource="route",result="done"}')).toBe(0);
    expect(shown('drift_repaired_total{resource="route"}')).toBe(1);
    expect(shown('admin_request_seconds_count{method="PUT",resource="route"}')).toBe(1);
    expect(shown('admin_request_seconds_count{method="GET",resource="routes"}')).toBe(1);
    expect(shown("propagation_seconds_count")).toBe(1);
    expect(shown('propagation_seconds_bucket{le="0.0025"}')).toBe(0);
    expect(shown('propagation_seconds_bucket{le="0.005"}')).toBe(1);
  });

  it("has buckets of propagation from half a millisecond to a minute", async () => {
    const { values } = parseMetrics(await createMetrics({ withProcess: false }).text(snapshot));
    const bounds = [...values.keys()].flatMap(
      (key) => /propagation_seconds_bucket\{le="(.+)"\}/.exec(key)?.[1] ?? [],
    );
    expect([bounds[0], bounds.at(-2), bounds.at(-1)]).toEqual(["0.0005", "60", "+Inf"]);
  });

  it("gives totals to whoever tells them otherwise, not to be changed by them", () => {
    const metrics = createMetrics({ withProcess: false });
    expect(metrics.totals().propagation).toEqual({ count: 0, p50: undefined, p99: undefined });
    for (let ms = 1; ms <= 100; ms++) metrics.wrote({ ...write, outcome: "done", propagation: ms });
    metrics.event("pods", "stale");
    metrics.workerRestarted("memory");
    metrics.workerRestarted("hang");
    const { events, writes, propagation, workerRestarts } = metrics.totals();
    expect(propagation.count).toBe(100);
    expect(propagation.p50).toBeCloseTo(0.05, 2);
    expect(propagation.p99).toBeCloseTo(0.099, 2);
    expect(events.pods.stale).toBe(1);
    expect(workerRestarts).toBe(2);
    expect(writes.filter(({ count }) => count > 0)).toEqual([
      { lane: "drip", resource: "upstream", result: "done", count: 100 },
    ]);
    metrics.event("pods", "stale");
    expect(events.pods.stale).toBe(1);
  });

  it("keeps two instances apart, and works with its methods taken off", async () => {
    const one = createMetrics();
    const { event, text } = createMetrics();
    event("pods", "kept");
    const key = 'apisix_translator_events_total{kind="pods",outcome="kept"}';
    expect(parseMetrics(await text(snapshot)).values.get(key)).toBe(1);
    expect(parseMetrics(await one.text(snapshot)).values.get(key)).toBe(0);
  });
});
