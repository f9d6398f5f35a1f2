import { expect, it } from "vitest";
import { Pipeline } from "../pipeline/pipeline.ts";
import { many, web } from "./pods.ts";

/** Bursts are a minute apart, and one has just ended: what a purge takes away waits for the next one. */
const settings = { throttle: { routeInterval: "60s" }, shards: { count: 2 } };

async function started(): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east", "west"], {
    ...{ settings, memoryShards: true, speed: 30 },
    before: ({ fleet }) => {
      for (const one of many("w", 3)) fleet.cluster("west").store.create("pods", one);
    },
  });
  await pipeline.reconciled(3);
  return pipeline;
}

async function burstEnded(pipeline: Pipeline): Promise<void> {
  pipeline.store("east").create("pods", web("new", "new.example.com"));
  await pipeline.until("a burst", () => pipeline.routes().length === 4);
}

const isGoing = ({ controller }: Pipeline): boolean =>
  [...controller.writer.records.ofCluster("west")].every(({ ending }) => ending);

const without = { ...settings, without: ["west"] };

it("a purge of a cluster that is out of reach goes on when that is taken out of the configuration before all is deleted", async () => {
  const pipeline = await started();
  await pipeline.cluster("west").server.stop();
  const { watches } = pipeline.controller.clusters;
  await pipeline.until("degraded", () => watches.get("west")?.health().pods?.state === "degraded");
  await burstEnded(pipeline);
  const purged = pipeline.controller.decisions.purge("west", 120_000);
  await pipeline.until("all are to go", () => isGoing(pipeline));
  pipeline.configure(without);
  expect(await purged).toMatchObject({ ok: true, groups: 3, left: 0 });
});

it("a purge goes on when a shard has taken in only then that the cluster has left the configuration", async () => {
  const pipeline = await started();
  const { shards, decisions } = pipeline.controller;
  await burstEnded(pipeline);
  const other = 1 - shards.shardOf({ cluster: "west", kind: "pod", namespace: "shop", name: "w-0" });
  pipeline.memoryLinks?.hang(other);
  pipeline.configure(without);
  const purged = decisions.purge("west", 120_000);
  await pipeline.until("all are to go", () => isGoing(pipeline));
  await pipeline.until("the other shard is another one", () => shards.stats().restarts.hang === 1);
  expect(await purged).toMatchObject({ ok: true, groups: 3, left: 0 });
});

it("a purge that ends after its cluster has come back with nothing leaves the name to that cluster", async () => {
  const pipeline = await started();
  const { clusters, decisions, identities } = pipeline.controller;
  const { server, store } = pipeline.cluster("west");
  const is = (state: string): boolean => clusters.watches.get("west")?.health().pods?.state === state;
  await server.stop();
  await pipeline.until("degraded", () => is("degraded"));
  await burstEnded(pipeline);
  const purged = decisions.purge("west", 120_000);
  await pipeline.until("all are to go", () => isGoing(pipeline));
  for (const name of ["w-0", "w-1", "w-2"]) store.remove("pods", `shop/${name}`);
  await server.start();
  await pipeline.until("back", () => is("synced"));
  expect(await purged).toMatchObject({ ok: true, left: 0 });
  expect(identities.known("west")).toBe(identities.uidOf("west"));
});
