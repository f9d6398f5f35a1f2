import { expect, it } from "vitest";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import type { Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, many, web } from "./pods.ts";

/** Three Pods with hosts of their own in every cluster: `CLUSTER-0` and so on. */
function fill(fleet: Fleet): void {
  for (const { name, store } of fleet.clusters) for (const each of many(name, 3)) store.create("pods", each);
}

const isDegraded = (pipeline: Pipeline, cluster: string): boolean =>
  pipeline.controller.clusters.watches.get(cluster)?.health().pods?.state === "degraded";

it.each(["refuses connections", "accepts and never answers"])(
  "M1 start with one of three clusters down (%s): the others converge, its objects stay, ready",
  async (how) => {
    const pipeline = await Pipeline.start(["east", "north", "west"], {
      before: ({ fleet }) => fill(fleet),
      speed: how === "refuses connections" ? 1 : 8,
    });
    await pipeline.reconciled(9);
    await pipeline.stopController();
    const { server, store } = pipeline.cluster("west");
    if (how === "refuses connections") await server.stop();
    const mend = server.faults.onRequest({}, { type: "hang" });
    store.remove("pods", "shop/west-0");
    pipeline.store("east").create("pods", web("new", "new.example.com"));
    pipeline.store("north").remove("pods", "shop/north-0");
    const from = pipeline.mark;
    await pipeline.restart();
    await pipeline.reconciled();
    await pipeline.until("west is degraded", () => isDegraded(pipeline, "west"));
    const { ready, degraded } = pipeline.controller.observation.ready();
    expect({ ready, degraded }).toEqual({ ready: true, degraded: [expect.stringMatching(/^west: /)] });
    await pipeline.until("north-0 is deleted", () => pipeline.upstreams().length === 9);
    await pipeline.caughtUp(["east", "north"]);
    const others = ["PUT upstreams east/shop/new/web", "PUT routes east/shop/new/web"];
    const north = ["PUT upstreams", "DELETE routes", "DELETE upstreams"].map(
      (act) => `${act} north/shop/north-0/web`,
    );
    expect(pipeline.namedSince(from).toSorted()).toEqual([...others, ...north].toSorted());

    const back = pipeline.mark;
    mend();
    await server.start();
    await pipeline.until("west-0 is deleted", () => pipeline.upstreams().length === 8);
    await pipeline.caughtUp();
    expect(pipeline.namedSince(back).toSorted()).toEqual([
      "DELETE routes west/shop/west-0/web",
      "DELETE upstreams west/shop/west-0/web",
      "PUT upstreams west/shop/west-0/web",
    ]);
  },
);

it("M2 a cluster drops at run time: nothing deleted, its claims kept; back: exactly the right deletes", async () => {
  const pipeline = await Pipeline.start(["east", "west"], { before: ({ fleet }) => fill(fleet), speed: 30 });
  await pipeline.reconciled(6);
  const from = pipeline.mark;
  const { server, store } = pipeline.cluster("west");
  await server.stop();
  store.remove("pods", "shop/west-0");
  store.patch("pods", "shop/west-1", (object) => withReady(object, false));
  await pipeline.until("west is degraded", () => isDegraded(pipeline, "west"));
  pipeline.store("east").create("pods", web("thief", "west-0.example.com", { created: born(0) }));
  await pipeline.until(
    "a conflict",
    async () => (await pipeline.statesOf("east/shop/pod/thief"))[0] === "Conflict",
  );
  expect(await pipeline.statesOf("west/shop/pod/west-2")).toEqual(["Frozen"]);
  expect(pipeline.writesSince(from)).toEqual([]);

  await server.start();
  await pipeline.until(
    "the thief has it",
    () => pipeline.holderOf("west-0.example.com") === "east/shop/thief/web",
  );
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from).toSorted()).toEqual([
    "DELETE routes west/shop/west-0/web",
    "DELETE upstreams west/shop/west-0/web",
    "PUT routes east/shop/thief/web",
    "PUT upstreams east/shop/thief/web",
    "PUT upstreams west/shop/west-0/web",
    "PUT upstreams west/shop/west-1/web",
  ]);
});

it("M5 the same namespace, name and route in two clusters are two objects; overlapping addresses do not mix", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters) {
        store.create("pods", web("web-0", `${name}.example.com`, { ip: "10.0.0.1" }));
        store.create("pods", web("d-1", `d.${name}.example.com`, { ip: "10.0.0.2", owner: "d" }));
      }
    },
  });
  await pipeline.reconciled();
  expect(pipeline.routes()).toHaveLength(4);
  pipeline.store("west").patch("pods", "shop/web-0", (object) => withReady(object, false));
  pipeline.store("west").patch("pods", "shop/d-1", (object) => withReady(object, false));
  await pipeline.caughtUp();
  expect(pipeline.nodesOf("east.example.com")).toEqual(["10.0.0.1:8080"]);
  expect(pipeline.nodesOf("d.east.example.com")).toEqual(["10.0.0.2:8080"]);
  expect(pipeline.nodesOf("west.example.com")).toEqual([]);
  expect(pipeline.nodesOf("d.west.example.com")).toEqual([]);
});

it("M7 two clusters claim a host at the same second: the same winner whoever is heard first, and after restarts", async () => {
  const pipeline = await Pipeline.start(["east", "north", "west"], {
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters)
        store.create("pods", web(name, "same.example.com", { created: born(name === "north" ? 2 : 1) }));
    },
  });
  for (const late of ["east", "west", "none"]) {
    await pipeline.stopController();
    for (const { id } of pipeline.routes()) pipeline.forget(String(id));
    const mend = late === "none" ? undefined : slow(pipeline, late);
    await pipeline.restart();
    await pipeline.reconciled();
    mend?.();
    await pipeline.caughtUp();
    expect(pipeline.holderOf("same.example.com")).toBe("east/shop/east/web");
    expect(pipeline.upstreams()).toHaveLength(1);
  }
  const from = pipeline.mark;
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
  pipeline.store("east").remove("pods", "shop/east");
  await pipeline.until("west", () => pipeline.holderOf("same.example.com") === "west/shop/west/web");
  pipeline.store("west").remove("pods", "shop/west");
  await pipeline.until("north", () => pipeline.holderOf("same.example.com") === "north/shop/north/web");
});

function slow(pipeline: Pipeline, cluster: string): () => void {
  return pipeline.cluster(cluster).server.faults.onRequest({}, { type: "slow", ms: 150 });
}
