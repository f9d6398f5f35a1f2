import type { Row } from "../bench.ts";
import { Child } from "../processes/child.ts";
import type { InformerCommands, Listed } from "../processes/informer-process.ts";
import type { LoadCommands } from "../processes/load-process.ts";
import { median } from "../statistics.ts";

/** One cluster's Pods, listed by a fresh process each time. */
export async function listPods(pods: number, times: number, say: (line: string) => void): Promise<Listed[]> {
  const load = new Child<LoadCommands>(new URL("../processes/load-process.ts", import.meta.url));
  const size = { servicesPerCluster: 1, endpointsPerService: 1, podsPerCluster: pods, nodesPerCluster: 0 };
  const [cluster] = await load.ask("start", { clusters: 1, ...size });
  if (cluster === undefined) throw new Error("no cluster has started");
  const listed: Listed[] = [];
  try {
    for (let time = 1; time <= times; time++) {
      const child = new Child<InformerCommands>(new URL("../processes/informer-process.ts", import.meta.url));
      const one = await child.ask("list", cluster.kubeconfig);
      await child.stop();
      if (one.objects !== pods) throw new Error(`${one.objects} of ${pods} Pods were listed`);
      say(
        `${pods} Pods listed in ${(one.ms / 1000).toFixed(1)} s, longest block ${one.block.own.toFixed(1)} ms`,
      );
      listed.push(one);
    }
  } finally {
    await load.stop();
  }
  return listed;
}

export const longestBlock = (listed: readonly Listed[]): number =>
  median(listed.map(({ block }) => block.own));

export function listTable(listed: readonly Listed[]): {
  readonly title: string;
  readonly rows: readonly Row[];
} {
  const row = (name: string, unit: string, of: (one: Listed) => number): Row => ({
    name,
    unit,
    values: listed.map(of),
  });
  return {
    title: `First list of ${listed[0]?.objects ?? 0} Pods in one cluster`,
    rows: [
      row("until all is taken in", "s", ({ ms }) => ms / 1000),
      row("CPU", "s", ({ cpu }) => cpu / 1000),
      row("longest block of the event loop, by the clock", "ms", ({ block }) => block.wall),
      row("the same, without waiting for a core", "ms", ({ block }) => block.own),
      row("most memory", "MB", ({ peak }) => peak / 1e6),
    ],
  };
}
