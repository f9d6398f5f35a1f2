import type { Fleet, FleetCluster } from "../../src/sim/kubernetes/fleet.ts";
import { proxyFault, statusFault, wrongListFault } from "../../src/sim/kubernetes/faults.ts";

type Random = () => number;
type End = () => void | Promise<void>;

/** What goes wrong in a cluster, until its end is called. `isLong`: it is found after up to a minute only. */
interface ClusterFault {
  readonly name: string;
  readonly isLong?: boolean;
  begin(cluster: FleetCluster): End | Promise<End>;
}

const nothing: End = () => {};

function cutWatches({ server }: FleetCluster): void {
  for (const watch of server.traffic.openWatches()) watch.cut();
}

function answering(fault: ReturnType<typeof statusFault>): (cluster: FleetCluster) => End {
  return (cluster) => {
    const end = cluster.server.faults.onRequest({}, fault);
    cutWatches(cluster);
    return end;
  };
}

const clusterFaults: readonly ClusterFault[] = [
  {
    name: "watches cut",
    begin: (cluster) => {
      cutWatches(cluster);
      return nothing;
    },
  },
  {
    name: "history forgotten",
    begin: (cluster) => {
      cluster.store.compact();
      cutWatches(cluster);
      return nothing;
    },
  },
  {
    name: "API server gone",
    begin: async ({ server }) => {
      await server.stop();
      return () => server.start();
    },
  },
  ...[401, 403, 410, 429, 500, 503].map((code) => ({
    name: `every answer ${code}`,
    begin: answering(statusFault(code)),
  })),
  { name: "a proxy's page", begin: answering(proxyFault(200)) },
  { name: "wrong lists", begin: answering(wrongListFault("pods", "items is an object")) },
  { name: "answers cut off", begin: answering({ type: "truncate", bytes: 700, clean: false }) },
  { name: "connections reset", begin: answering({ type: "reset" }) },
  { name: "slow", begin: answering({ type: "slow", ms: 1500 }) },
  {
    name: "frames garbled, doubled, cut",
    begin: ({ server }) => {
      const { faults } = server;
      const ends = [
        faults.onFrame({}, { type: "duplicate" }, { chance: 0.2 }),
        faults.onFrame({}, { type: "text", text: "garbage\n" }, { chance: 0.05 }),
        faults.onFrame({}, { type: "cut" }, { chance: 0.05 }),
        faults.onFrame({}, { type: "error", code: 410 }, { chance: 0.05 }),
      ];
      return () => ends.forEach((end) => end());
    },
  },
  { name: "half-open", isLong: true, begin: ({ server }) => server.faults.halfOpen() },
];

/** One fault at a time in each of two clusters at most, drawn by chance. */
export class ClusterFaults {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #ends = new Map<FleetCluster, End>();
  readonly counts: Record<string, number> = {};

  constructor(fleet: Fleet, random: Random) {
    this.#fleet = fleet;
    this.#random = random;
  }

  /** Ends one fault, where there are two, and begins another. */
  async next(mayBeLong: boolean): Promise<void> {
    if (this.#ends.size > 1) {
      const [first] = this.#ends.keys();
      if (first !== undefined) await this.#end(first);
    }
    const free = this.#fleet.clusters.filter((cluster) => !this.#ends.has(cluster));
    const cluster = this.#pick(free);
    const fault = this.#pick(clusterFaults.filter(({ isLong = false }) => mayBeLong || !isLong));
    this.counts[fault.name] = (this.counts[fault.name] ?? 0) + 1;
    this.#ends.set(cluster, await fault.begin(cluster));
  }

  async endAll(): Promise<void> {
    for (const cluster of this.#ends.keys()) await this.#end(cluster);
  }

  async #end(cluster: FleetCluster): Promise<void> {
    await this.#ends.get(cluster)?.();
    this.#ends.delete(cluster);
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)] as T;
  }
}
