import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

export const host = "shop.example.com";

/** Member `order` of the fleet group, the lower the older. */
export function member(order: number, fields: object = {}, ready = true): ReturnType<typeof web> {
  return web(`p-${order}`, host, {
    ...{ ip: `10.0.0.${order}`, created: born(order), ready, owner: `set-${order}` },
    routes: [entry(host, { share: "fleet", ...fields })],
  });
}

export const nodes = (...orders: number[]): string[] => orders.map((order) => `10.0.0.${order}:8080`);

/** East has the oldest member, 1, with `retries: 5`; West has 2 and 3. */
export async function start(clusters: readonly string[] = ["east", "west"], speed = 1): Promise<Pipeline> {
  const pipeline = await Pipeline.start(clusters, {
    speed,
    before: ({ fleet }) => {
      fleet.cluster("east").store.create("pods", member(1, { retries: 5 }));
      for (const order of [2, 3]) fleet.cluster("west").store.create("pods", member(order));
    },
  });
  await pipeline.reconciled(1);
  await pipeline.until("all nodes", () => pipeline.nodesOf(host)?.length === 3);
  await pipeline.caughtUp();
  return pipeline;
}

export async function lose(pipeline: Pipeline, cluster: string): Promise<void> {
  await pipeline.cluster(cluster).server.stop();
  await pipeline.until(
    `${cluster} is degraded`,
    () => pipeline.controller.clusters.watches.get(cluster)?.health().pods?.state === "degraded",
  );
}

export const notReady = (pipeline: Pipeline, cluster: string, order: number): void =>
  pipeline.store(cluster).patch("pods", `shop/p-${order}`, (object) => withReady(object, false)) as never;
