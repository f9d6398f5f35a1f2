import { expect, it } from "vitest";
import { writeFile } from "node:fs/promises";
import { systemClock } from "../../src/runtime.ts";
import { ClusterStore } from "../../src/sim/kubernetes/cluster-store.ts";
import { withAnnotations } from "../../src/sim/kubernetes/object-changes.ts";
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

it("M3 a name that answered as another cluster at the start is believed once the right one is back", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const one of many("e", 3)) fleet.cluster("east").store.create("pods", one);
    },
  });
  await pipeline.reconciled();
  const { server, store } = pipeline.cluster("east");
  server.faults.identity = "somebody-else";
  await pipeline.restart();
  const health = () => pipeline.controller.clusters.watches.get("east")!.health().pods!;
  await pipeline.until("refused", () => pipeline.controller.intake.refusal("east") !== undefined);
  const before = pipeline.writes.length;
  server.faults.identity = undefined;
  for (const watch of server.traffic.openWatches()) watch.cut();
  store.remove("pods", "shop/e-2");
  await pipeline.until("synced as itself", () => health().state === "synced", 120_000);
  await pipeline.until("two left", () => pipeline.pairs().length === 2, 120_000);
  expect(pipeline.controller.intake.refusal("east")).toBeUndefined();
  expect(pipeline.writesSince(before).every((write) => !JSON.stringify(write).includes("somebody"))).toBe(
    true,
  );
});

it("M3 the right cluster is believed, though another one answered at the start and was gone before APISIX could be read", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const one of many("e", 3)) fleet.cluster("east").store.create("pods", one);
    },
    speed: 10,
  });
  await pipeline.reconciled(3);
  const { server } = pipeline.cluster("east");
  server.faults.identity = "somebody-else";
  const { faults } = pipeline.gateway.admin;
  faults.setEtcd("down");
  await pipeline.restart();
  const areAll = (sought: string): boolean => {
    const kinds = Object.values(pipeline.controller.clusters.watches.get("east")?.health() ?? {});
    return kinds.length > 0 && kinds.every(({ state }) => state === sought);
  };
  await pipeline.until("synced as another", () => areAll("synced"));
  server.faults.identity = undefined;
  for (const watch of server.traffic.openWatches()) watch.fail(410);
  await pipeline.until("degraded", () => areAll("degraded"));
  faults.setEtcd("up");
  await pipeline.until("seen as itself", () => pipeline.controller.intake.sees("east", "pods"));
  expect(pipeline.controller.intake.refusal("east")).toBeUndefined();
  expect(pipeline.pairs()).toHaveLength(3);
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

it("M3 a name whose kubeconfig led to another cluster at the start is believed once it leads to its own", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const one of many("e", 3)) fleet.cluster("east").store.create("pods", one);
    },
  });
  await pipeline.reconciled();
  const { kubeconfigPath, server, store } = pipeline.cluster("east");
  await writeFile(kubeconfigPath, pipeline.cluster("west").server.kubeconfig());
  await pipeline.restart();
  const refusal = () => pipeline.controller.intake.refusal("east");
  await pipeline.until("refused", () => refusal() !== undefined);
  store.remove("pods", "shop/e-2");
  await writeFile(kubeconfigPath, server.kubeconfig());
  await pipeline.until("two left", () => pipeline.pairs().length === 2, 120_000);
  expect(refusal()).toBeUndefined();
});

it("M3 a paused Pod keeps its node and its routes, though another cluster's Pod of its name was heard before it", async () => {
  const group = { owner: "e", routes: [{ name: "web", port: 8080, host: "e-0.example.com" }] };
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      store.create("pods", web("e-0", "", group));
      store.create("pods", web("e-1", "e-1.example.com"));
    },
    speed: 10,
  });
  await pipeline.reconciled(2);
  const own = pipeline.store("east");
  const { cluster } = pipeline.cluster("east").server;
  const other = new ClusterStore({ clock: systemClock, random: Math.random });
  other.create("pods", web("e-0", "", { ...group, ip: "10.1.0.1" }));
  other.create("pods", web("e-1", "other.example.com", { ip: "10.1.0.2" }));
  cluster.swapStore(other);
  await pipeline.restart();
  const { intake } = pipeline.controller;
  await pipeline.until("refused", () => intake.refusal("east") !== undefined);
  await pipeline.reconciled();
  const before = pipeline.mark;
  const paused = { "apisix-translator.io/paused": "true" };
  const bare = { ...paused, "apisix-translator.io/routes": "[]" };
  own.patch("pods", "shop/e-0", (object) => withAnnotations(object, paused));
  own.patch("pods", "shop/e-1", (object) => withAnnotations(object, bare));
  cluster.swapStore(own);
  await pipeline.until("seen as itself", () => intake.sees("east", "pods"));
  await pipeline.caughtUp();
  expect(pipeline.writesSince(before)).toEqual([]);
});

it("M3 of two names of one cluster the other is believed once the first has left the configuration", async () => {
  const pipeline = await Pipeline.start(["east", "west"], { memoryShards: true });
  await writeFile(pipeline.cluster("east").kubeconfigPath, pipeline.cluster("west").server.kubeconfig());
  await pipeline.restart();
  const { controller } = pipeline;
  await pipeline.until("the second is refused", () => controller.intake.refusal("west") !== undefined);
  const { clusters, policy } = controller.config;
  controller.configure({ clusters: clusters.filter(({ name }) => name === "west"), policy });
  await pipeline.until("seen", () => controller.intake.sees("west", "pods"), 10_000);
  expect(controller.intake.refusal("west")).toBeUndefined();
});
