import { expect, it } from "vitest";
import { writeFile } from "node:fs/promises";
import { Pipeline } from "../pipeline/pipeline.ts";
import { many, web } from "./pods.ts";

it("M3 a name that answers as another cluster after a restart is refused, and its objects are kept", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const one of many("e", 12)) fleet.cluster("east").store.create("pods", one);
      fleet.cluster("west").store.create("pods", web("w-0", "w-0.example.com"));
    },
  });
  await pipeline.reconciled();
  const { fleet } = pipeline;
  const before = pipeline.writes.length;
  await writeFile(fleet.cluster("east").kubeconfigPath, fleet.cluster("west").server.kubeconfig());
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.idle();
  expect(pipeline.writesSince(before)).toEqual([]);
  const { clusters } = await pipeline.controller.observation.status();
  expect(clusters[0]!.kinds.pods).toMatchObject({ state: "degraded" });
  expect(JSON.stringify(clusters[0]!.kinds.pods)).toContain("another cluster answers under this name");
  expect(clusters[1]!.kinds.pods).toMatchObject({ state: "synced" });
});

it("M3 another cluster that answers while running is not believed; the right one is, when it is back", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const one of many("e", 5)) fleet.cluster("east").store.create("pods", one);
    },
  });
  await pipeline.reconciled();
  const before = pipeline.writes.length;
  const { server, store } = pipeline.cluster("east");
  server.faults.identity = "somebody-else";
  for (const key of ["shop/e-0", "shop/e-1"]) store.remove("pods", key);
  await pipeline.until("two gone", () => pipeline.pairs().length === 3);
  await pipeline.idle();
  const deleted = pipeline.writes.length;
  for (const watch of server.traffic.openWatches()) watch.fail(410);
  store.remove("pods", "shop/e-2");
  const health = () => pipeline.controller.clusters.watches.get("east")!.health().pods!;
  await pipeline.until("degraded", () => health().state === "degraded");
  expect(JSON.stringify(health())).toContain("another cluster answers under this name");
  expect(pipeline.writes.length).toBe(deleted);
  expect(deleted).toBeGreaterThan(before);
  server.faults.identity = undefined;
  await pipeline.until("synced again", () => health().state === "synced", 60_000);
  await pipeline.until("three left", () => pipeline.pairs().length === 2);
});
