import { expect, it } from "vitest";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { entry, many, web } from "./pods.ts";

/** A group of three in each of two clusters, and ten Pods by themselves. */
function start(): Promise<Pipeline> {
  return Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters) {
        for (let index = 0; index < 3; index++)
          store.create(
            "pods",
            web(`g-${index}`, `g.${name}.example.com`, { owner: "g", ip: `10.0.0.${index}` }),
          );
        for (const alone of many(`${name}-alone`, 5)) store.create("pods", alone);
      }
    },
  });
}

it.each(["kill", "hang"] as const)("W8 at a worker's reseed (%s) no upstream loses a node", async (how) => {
  const pipeline = await start();
  await pipeline.reconciled();
  const from = pipeline.mark;
  const restarts = (): number => pipeline.controller.metrics.totals().workerRestarts;
  pipeline.store("east").patch("pods", "shop/g-0", (object) => withReady(object, false));
  if (how === "kill") pipeline.memoryLinks?.kill(0);
  else pipeline.memoryLinks?.hang(0);
  await pipeline.until("the worker is replaced", () => restarts() === 1);
  await pipeline.until("the change", () => pipeline.nodesOf("g.east.example.com")?.length === 2);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from)).toEqual(["PUT upstreams east/shop/web"]);
  expect(pipeline.nodesOf("g.west.example.com")).toHaveLength(3);
});

it("W8 at a reseed while a cluster cannot be seen, what stands of it stays, and is right once it is back", async () => {
  const pipeline = await start();
  await pipeline.reconciled();
  const from = pipeline.mark;
  const { server, store } = pipeline.cluster("west");
  server.access.tokens.clear();
  for (const watch of server.traffic.openWatches()) watch.cut();
  await pipeline.until("west is degraded", () => !pipeline.controller.intake.isVisible("west"));
  store.remove("pods", "shop/g-1");
  pipeline.memoryLinks?.kill(0);
  await pipeline.caughtUp(["east"]);
  expect(pipeline.writesSince(from)).toEqual([]);
  server.access.tokens.add("sim-token");
  await pipeline.until("west is right", () => pipeline.nodesOf("g.west.example.com")?.length === 2);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from)).toEqual(["PUT upstreams west/shop/web"]);
});

it("W8 a worker dies again and again on its way through a first reconcile: everything is written, nothing twice", async () => {
  const pipeline = await start();
  for (let deaths = 0; deaths < 3; deaths++) {
    await pipeline.until("some progress", () => pipeline.mark > deaths * 4);
    pipeline.memoryLinks?.kill(0);
  }
  await pipeline.until("every route", () => pipeline.routes().length === 12);
  await pipeline.caughtUp();
  expect(pipeline.invariants.idle).toEqual([]);
  expect(pipeline.tally(0)["PUT routes"]).toBe(12);
  pipeline.store("east").patch("pods", "shop/east-alone-0", (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { "apisix-translator.io/routes": JSON.stringify([entry("moved.example.com")]) },
    },
  }));
  await pipeline.until("the move", () => pipeline.routeOf("moved.example.com") !== undefined);
});
