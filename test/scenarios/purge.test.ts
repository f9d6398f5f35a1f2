import { expect, it } from "vitest";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, many, web } from "./pods.ts";

const shared = "shared.example.com";

/** A member of the fleet group of `shared.example.com`; the lower the older. */
function member(order: number): ReturnType<typeof web> {
  const about = { ip: `10.0.0.${order}`, created: born(order), owner: `set-${order}` };
  return web(`p-${order}`, shared, { ...about, routes: [entry(shared, { share: "fleet" })] });
}

/** Twelve routes of `west`, two of `east`, and a fleet group with a member in each; no removal passes the guard. */
async function started(speed = 1): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east", "west"], {
    speed,
    settings: { guard: { maxDeletes: 0, maxDeleteRatio: 0 } },
    before: ({ fleet }) => {
      for (const one of many("e", 2)) fleet.cluster("east").store.create("pods", one);
      for (const one of many("w", 12)) fleet.cluster("west").store.create("pods", one);
      fleet.cluster("east").store.create("pods", member(2));
      fleet.cluster("west").store.create("pods", member(1));
    },
  });
  await pipeline.reconciled(15);
  await pipeline.until("both nodes", () => pipeline.nodesOf(shared)?.length === 2);
  await pipeline.caughtUp();
  return pipeline;
}

const west = (pipeline: Pipeline): string[] =>
  pipeline.upstreams().flatMap(({ labels }) => {
    const text = JSON.stringify(labels);
    return text.includes("west") ? [text] : [];
  });

it("purge deletes what stands for a cluster that has left, past the guard, and its part of fleet groups", async () => {
  const pipeline = await started();
  pipeline.configure({ ...{ guard: { maxDeletes: 0, maxDeleteRatio: 0 } }, without: ["west"] });
  pipeline.store("east").create("pods", web("heir", "w-0.example.com", { created: born(9) }));
  await pipeline.caughtUp(["east"]);
  const from = pipeline.mark;
  expect(await pipeline.controller.decisions.purge("west")).toEqual({
    ok: true,
    cluster: "west",
    groups: 13,
    left: 0,
    parts: 1,
    configured: false,
  });
  await pipeline.until("the heir has it", () =>
    pipeline.namedSince(from).includes("PUT routes east/shop/heir/web"),
  );
  await pipeline.caughtUp(["east"]);
  expect(west(pipeline)).toEqual([]);
  expect(pipeline.nodesOf(shared)).toEqual(["10.0.0.2:8080"]);
  const others = pipeline
    .namedSince(from)
    .filter((write) => !/^DELETE (routes|upstreams) west\//.test(write));
  expect(others.toSorted()).toEqual([
    "PUT routes east/shop/heir/web",
    "PUT upstreams east/shop/heir/web",
    "PUT upstreams shop/web",
  ]);

  const after = pipeline.mark;
  await pipeline.restart({ without: ["west"] });
  await pipeline.reconciled();
  await pipeline.caughtUp(["east"]);
  expect(pipeline.writesSince(after)).toEqual([]);
});

it("a fleet route that an older foreign one stands beside stays while a cluster with a part in it has left, and steps back when that is purged", async () => {
  const strangers = { uri: "/*", upstream: { type: "roundrobin", nodes: { "192.0.2.1:80": 1 } } };
  const pipeline = await Pipeline.start(["east", "west"], {
    before: (starting) => {
      starting.asStranger("PUT", "routes/older", { ...strangers, host: "x.example.com" });
      starting.store("east").create("pods", member(2));
      starting.store("west").create("pods", member(1));
    },
  });
  await pipeline.reconciled();
  await pipeline.until("both nodes", () => pipeline.nodesOf(shared)?.length === 2);
  pipeline.configure({ without: ["west"] });
  await pipeline.caughtUp(["east"]);
  const from = pipeline.mark;
  pipeline.asStranger("PUT", "routes/older", { ...strangers, host: shared });
  await pipeline.controller.observation.audit();
  await pipeline.caughtUp(["east"]);
  expect(pipeline.writesSince(from)).toEqual([]);
  expect(await pipeline.controller.decisions.purge("west")).toMatchObject({ ok: true, left: 0, parts: 1 });
  await pipeline.until("ours has gone", () => pipeline.upstreams().length === 0);
  const deletes = pipeline.writesSince(from).filter((write) => write.startsWith("DELETE"));
  expect(deletes).toEqual(["DELETE routes", "DELETE upstreams"]);
});

it("purge refuses a cluster that is configured and answers; one that is out of reach is purged, and comes back with its routes", async () => {
  const pipeline = await started(30);
  const from = pipeline.mark;
  const refused = await pipeline.controller.decisions.purge("west");
  expect(refused).toMatchObject({
    ok: false,
    status: 409,
    error: expect.stringContaining("take it out first"),
  });
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);

  const { server } = pipeline.cluster("west");
  await server.stop();
  const state = (): string | undefined =>
    pipeline.controller.clusters.watches.get("west")?.health().pods?.state;
  await pipeline.until("degraded", () => state() === "degraded");
  expect(await pipeline.controller.decisions.purge("west")).toMatchObject({
    ok: true,
    groups: 13,
    left: 0,
    configured: true,
  });
  expect(west(pipeline)).toEqual([]);
  await server.start();
  await pipeline.until("all are back", () => pipeline.routes().length === 15);
  await pipeline.until("both nodes", () => pipeline.nodesOf(shared)?.length === 2);
});

it("what a purge could not take away before its cluster is back goes past the guard still, but for what that declares", async () => {
  const pipeline = await started();
  const { decisions, observation, writer } = pipeline.controller;
  await observation.pause();
  pipeline.configure({ ...{ guard: { maxDeletes: 0, maxDeleteRatio: 0 } }, without: ["west"] });
  expect(await decisions.purge("west", 1)).toMatchObject({ ok: true, groups: 13, left: 13, paused: true });
  for (const name of ["w-0", "w-1"]) pipeline.store("west").remove("pods", `shop/${name}`);
  pipeline.configure({ guard: { maxDeletes: 0, maxDeleteRatio: 0 } });
  const going = (): number => [...writer.records.ofCluster("west")].filter(({ ending }) => ending).length;
  await pipeline.until("ten are declared again", () => going() === 2);
  const from = pipeline.mark;
  observation.resume();
  await pipeline.until("two have gone", () => pipeline.routes().length === 13);
  await pipeline.caughtUp();
  expect(writer.guard.status().held).toBe(0);
  const deletes = pipeline.namedSince(from).filter((write) => write.startsWith("DELETE routes"));
  expect(deletes.toSorted()).toEqual(["DELETE routes west/shop/w-0/web", "DELETE routes west/shop/w-1/web"]);
  expect(pipeline.nodesOf(shared)).toHaveLength(2);
});

it("purge of a cluster that nobody knows takes nothing away", async () => {
  const pipeline = await started();
  const from = pipeline.mark;
  expect(await pipeline.controller.decisions.purge("north")).toMatchObject({ ok: false, status: 404 });
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
});

it("a purged cluster that comes back has its part of fleet groups again, also after a restart of a shard", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => {
      fleet.cluster("east").store.create("pods", member(2));
      fleet.cluster("west").store.create("pods", member(1));
    },
  });
  const both = (): boolean => pipeline.nodesOf(shared)?.length === 2;
  await pipeline.until("both nodes", both);
  pipeline.configure({ without: ["west"] });
  expect(await pipeline.controller.decisions.purge("west")).toMatchObject({ ok: true, left: 0 });
  pipeline.memoryLinks?.kill(0);
  await pipeline.until("the shard", () => pipeline.controller.shards.stats().restarts.exit === 1);
  pipeline.configure({});
  await pipeline.until("both nodes again", both, 10_000);
});

it("purge takes its part of a fleet group that has lost its route and its pair, and its upstream once nobody out of sight has one", async () => {
  const pipeline = await Pipeline.start(["east", "north", "west"], {
    before: ({ fleet }) => {
      for (const [index, { store }] of fleet.clusters.entries()) store.create("pods", member(index + 1));
    },
  });
  await pipeline.until("all nodes", () => pipeline.nodesOf(shared)?.length === 3);
  await pipeline.caughtUp();
  pipeline.configure({ without: ["north", "west"] });
  const id = String(pipeline.routeOf(shared)?.["id"]);
  pipeline.asStranger("DELETE", `routes/${id}`);
  const upstream = { type: "roundrobin", nodes: { "192.0.2.1:80": 1 } };
  pipeline.asStranger("PUT", "routes/foreign", { host: shared, uri: "/*", upstream });
  await pipeline.controller.audit.run();
  await pipeline.caughtUp(["east"]);
  expect(await pipeline.statesOf("east/shop/pod/p-1")).toEqual(["Conflict"]);

  const from = pipeline.mark;
  const done = { left: 0, groups: 1, parts: 1 };
  expect(await pipeline.controller.decisions.purge("west", 5000)).toMatchObject(done);
  expect(west(pipeline)).toEqual([]);
  const standing = pipeline.upstreams()[0]?.["nodes"];
  expect(standing).toMatchObject([{ host: "10.0.0.1" }, { host: "10.0.0.2" }]);
  expect(await pipeline.controller.decisions.purge("north", 5000)).toMatchObject(done);
  expect(pipeline.upstreams()).toEqual([]);
  await pipeline.caughtUp(["east"]);
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "DELETE upstreams"]);
});

it("a purge that ends with its answer waits as long as something goes, however slowly, and no longer", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    ...{ settings: { throttle: { concurrency: 1 } }, speed: 30 },
    before: ({ fleet }) => {
      for (const one of many("w", 8)) fleet.cluster("west").store.create("pods", one);
    },
  });
  await pipeline.reconciled(8);
  await pipeline.caughtUp();
  const used = String(pipeline.routeOf("w-0.example.com")?.["id"]);
  pipeline.asStranger("PUT", "routes/foreign", { host: "x.example.com", uri: "/*", upstream_id: used });
  pipeline.configure({ throttle: { concurrency: 1 }, without: ["west"] });
  await pipeline.caughtUp(["east"]);
  pipeline.gateway.admin.faults.add({
    fault: { kind: "delay", ms: 100, when: "before" },
    methods: ["DELETE"],
  });
  const { decisions } = pipeline.controller;
  const decision = await decisions.purge("west", 30_000, true);
  expect(decision).toMatchObject({ ok: true, groups: 8, left: 1, ended: true });
  expect(west(pipeline)).toHaveLength(1);
});
