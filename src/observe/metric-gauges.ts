import { Gauge } from "prom-client";
import type { Registry } from "prom-client";
import type { Kind, KindHealth } from "../watch/events.ts";
import type { Lane } from "../write/pacer.ts";
import { metricPrefix } from "./metric-names.ts";
import { states } from "./state.ts";
import type { StateCounts } from "./state.ts";

/** What the gauges show; read when they are scraped. */
export interface MetricsSnapshot {
  readonly declarations: StateCounts;
  readonly clusters: readonly {
    readonly name: string;
    readonly kinds: Iterable<readonly [Kind, Pick<KindHealth, "state">]>;
  }[];
  /** What waits in each lane. */
  readonly queues: Readonly<Record<Lane, number>>;
  /** Milliseconds until the next burst may begin. */
  readonly nextBurst: number;
  readonly guardHeld: number;
  readonly isLeader: boolean;
}

/** Returns what fills the gauges in. */
export function declareGauges(registry: Registry, version: string): (snapshot: MetricsSnapshot) => void {
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name: `${metricPrefix}${name}`, help, labelNames, registers: [registry] });
  const declarations = gauge("declarations", "Declarations, by where they stand.", ["state"]);
  const synced = gauge("cluster_synced", "1: the kind is listed and watched.", ["cluster", "kind"]);
  const depth = gauge("queue_depth", "Groups that wait to be written.", ["lane"]);
  const nextBurst = gauge("next_burst_seconds", "Time until the next burst of route writes may begin.");
  const held = gauge("guard_held", "Groups whose removal the guard holds.");
  const leader = gauge("leader", "1: this instance leads.");
  gauge("build_info", "1, with version and runtime.", ["version", "node"]).set(
    { version, node: process.versions.node },
    1,
  );
  return (snapshot) => {
    for (const state of states) declarations.set({ state }, snapshot.declarations[state]);
    synced.reset();
    for (const { name, kinds } of snapshot.clusters)
      for (const [kind, { state }] of kinds) synced.set({ cluster: name, kind }, state === "synced" ? 1 : 0);
    depth.set({ lane: "drip" }, snapshot.queues.drip);
    depth.set({ lane: "burst" }, snapshot.queues.burst);
    nextBurst.set(snapshot.nextBurst / 1000);
    held.set(snapshot.guardHeld);
    leader.set(snapshot.isLeader ? 1 : 0);
  };
}
