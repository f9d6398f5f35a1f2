/** The clusters of a soak, in a process of their own: they change and fail all the time, until they are told to rest. */
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "../../bench/processes/serve.ts";
import { seededRandom } from "../../bench/statistics.ts";
import { startFleet, type Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { ClusterFaults } from "./cluster-faults.ts";
import { Population, type PopulationSize } from "./population.ts";

export interface Churn {
  readonly seconds: number;
  readonly perSecond: number;
  /** Seconds from one fault to the next. */
  readonly faultEvery: number;
}

export type FleetCommands = {
  readonly start: (
    clusters: readonly string[],
    size: PopulationSize,
    seed: number,
  ) => Promise<readonly { readonly name: string; readonly kubeconfig: string }[]>;
  /** Changes with faults; at its end all is well again and the population is what it was at first. */
  readonly churn: (churn: Churn) => Promise<void>;
  readonly declared: () => readonly string[];
  readonly counts: () => { readonly changes: number; readonly faults: Readonly<Record<string, number>> };
  /** A token that the cluster accepts from now on beside the others. */
  readonly admit: (cluster: string, token: string) => string;
  readonly close: () => Promise<void>;
};

/** What has not been found by then is not found before the rest: a silent watch takes up to a minute. */
const longFaultTakes = 75;

let fleet: Fleet | undefined;
let population: Population | undefined;
let faults: ClusterFaults | undefined;

const commands: FleetCommands = {
  async start(clusters, size, seed) {
    const random = seededRandom(seed);
    fleet = await startFleet({ clusters, random, historyLength: 500 });
    population = new Population(fleet, size, random);
    faults = new ClusterFaults(fleet, random);
    return fleet.clusters.map(({ name, server }) => ({ name, kubeconfig: server.kubeconfig() }));
  },

  async churn({ seconds, perSecond, faultEvery }) {
    const begun = performance.now();
    let [changes, faulted] = [0, 0];
    for (;;) {
      const passed = (performance.now() - begun) / 1000;
      if (passed >= seconds) break;
      for (; changes < passed * perSecond; changes++) population?.change();
      for (; faulted < passed / faultEvery; faulted++) await faults?.next(seconds - passed > longFaultTakes);
      await sleep(1000 / perSecond);
    }
    await faults?.endAll();
    population?.rest();
  },

  declared: () => population?.declared() ?? [],
  counts: () => ({ changes: population?.changes ?? 0, faults: faults?.counts ?? {} }),

  admit(cluster, token) {
    const server = fleet?.cluster(cluster).server;
    server?.access.tokens.add(token);
    return server?.kubeconfig({ token }) ?? "";
  },

  close: async () => fleet?.close(),
};

serve(commands);
