import { expect, it } from "vitest";
import { statusFault } from "../../src/sim/kubernetes/faults.ts";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { entry, many, web } from "./pods.ts";

const unready = (pipeline: Pipeline, name: string): void =>
  void pipeline.store("east").patch("pods", `shop/${name}`, (object) => withReady(object, false));

/** The only cluster holds Pods `NAME` under the hosts `NAME.example.com`. */
function start(names: readonly string[], options: { speed?: number } = {}): Promise<Pipeline> {
  return Pipeline.start(["east"], {
    ...options,
    before: ({ fleet }) => {
      for (const name of names) fleet.cluster("east").store.create("pods", web(name, `${name}.example.com`));
    },
  });
}

/** Watches end and cannot be opened again, until the returned function is called; then their history is gone. */
async function outage(pipeline: Pipeline): Promise<() => void> {
  const { server, store } = pipeline.cluster("east");
  await server.traffic.whenWatching("pods");
  const mend = server.faults.onRequest({ resource: "pods" }, statusFault(503));
  for (const watch of server.traffic.openWatches()) watch.cut();
  return () => {
    store.compact();
    mend();
  };
}

it("W1 after 410 a relist removes what went meanwhile, and never writes what came and went", async () => {
  const pipeline = await start(["stays", "goes"]);
  await pipeline.reconciled();
  const from = pipeline.mark;
  const store = pipeline.store("east");
  const ending = outage(pipeline);
  store.create("pods", web("queued", "queued.example.com"));
  const end = await ending;
  store.remove("pods", "shop/queued");
  store.remove("pods", "shop/goes");
  store.create("pods", web("brief", "brief.example.com"));
  store.remove("pods", "shop/brief");
  store.create("pods", web("new", "new.example.com"));
  end();
  await pipeline.until("the relist", () => pipeline.nodesOf("new.example.com")?.length === 1);
  await pipeline.until("the deletes", () => pipeline.upstreams().length === 2);
  expect(pipeline.pairs()).toEqual(["new.example.com /*", "stays.example.com /*"]);
  const named = pipeline.namedSince(from).filter((write) => !write.includes("queued"));
  expect(named.toSorted()).toEqual([
    "DELETE routes east/shop/goes/web",
    "DELETE upstreams east/shop/goes/web",
    "PUT routes east/shop/new/web",
    "PUT upstreams east/shop/goes/web",
    "PUT upstreams east/shop/new/web",
  ]);
});

it("W2 the final state is reached during an outage and no later event comes: stale backends go all the same", async () => {
  const pipeline = await start(["a", "b", "c"]);
  await pipeline.reconciled();
  const from = pipeline.mark;
  await pipeline.cluster("east").server.stop();
  unready(pipeline, "a");
  pipeline.store("east").remove("pods", "shop/b");
  await pipeline.cluster("east").server.start();
  await pipeline.until("b is deleted", () => pipeline.upstreams().length === 2);
  await pipeline.until("a is empty", () => pipeline.nodesOf("a.example.com")?.length === 0);
  expect(pipeline.namedSince(from).toSorted()).toEqual([
    "DELETE routes east/shop/b/web",
    "DELETE upstreams east/shop/b/web",
    "PUT upstreams east/shop/a/web",
    "PUT upstreams east/shop/b/web",
  ]);
});

it("W3 429 with Retry-After: the watch goes on at the same resourceVersion, without a relist", async () => {
  const pipeline = await start(["a"], { speed: 20 });
  await pipeline.reconciled(1);
  const { server } = pipeline.cluster("east");
  const seen = server.traffic.requestCount;
  server.faults.onRequest({ resource: "pods", verb: "watch" }, statusFault(429, 2), { times: 1 });
  for (const watch of server.traffic.openWatches()) watch.cut();
  unready(pipeline, "a");
  await pipeline.until("no nodes", () => pipeline.nodesOf("a.example.com")?.length === 0);
  const asked = server.traffic.requests
    .slice(seen)
    .filter(({ resource }) => resource === "pods")
    .map(({ path }) => new URL(path, "https://east").searchParams)
    .filter((query) => query.get("limit") !== "1");
  const resumed = asked.map((query) => query.get("resourceVersion"));
  expect(resumed.length).toBeGreaterThanOrEqual(2);
  // What is asked after the watch has gone on is another matter: on a busy machine much of its time may have passed.
  expect(new Set(resumed.slice(0, 2)).size).toBe(1);
  expect(asked.every((query) => query.get("watch") !== null && !query.has("sendInitialEvents"))).toBe(true);
});

it("W4 a list fails on page 3, or its token is 410: nothing is swapped, nothing deleted", async () => {
  const pipeline = await Pipeline.start(["east"], {
    before: ({ fleet }) => {
      const { store, server } = fleet.cluster("east");
      server.faults.watchList = false;
      const labels = { "apisix-translator.io/enabled": "true" };
      for (let index = 0; index < 1010; index++)
        store.create("pods", pod({ namespace: "idle", name: `idle-${index}`, labels }));
      store.create("pods", web("first", "first.example.com", { namespace: "aaa" }));
      store.create("pods", web("last", "last.example.com", { namespace: "zzz" }));
    },
  });
  await pipeline.reconciled();
  const { server, store } = pipeline.cluster("east");
  const thirdPages = (): number =>
    server.traffic.requests.filter(({ verb, path }) => verb === "list" && path.includes("continue=")).length;
  for (const [status, gone, left] of [
    [500, "aaa/first", 1],
    [410, "zzz/last", 0],
  ] as const) {
    const from = pipeline.mark;
    const mend = server.faults.onRequest({ resource: "pods", page: 3 }, statusFault(status));
    const end = await outage(pipeline);
    store.remove("pods", gone);
    const before = thirdPages();
    end();
    await pipeline.until("the list to fail twice", () => thirdPages() >= before + 4);
    expect(pipeline.controller.clusters.watches.get("east")?.health().pods?.state).toBe("degraded");
    expect(pipeline.writesSince(from)).toEqual([]);
    mend();
    await pipeline.until("what went is deleted", () => pipeline.upstreams().length === left);
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 1, "DELETE routes": 1, "DELETE upstreams": 1 });
  }
});

it("W5 a half-open connection is noticed: the kind is degraded, nothing goes; once mended the newest state stands", async () => {
  const pipeline = await start(["a", "b"], { speed: 40 });
  await pipeline.reconciled(2);
  const from = pipeline.mark;
  const { server, store } = pipeline.cluster("east");
  const mend = server.faults.halfOpen();
  unready(pipeline, "a");
  store.remove("pods", "shop/b");
  const health = (): unknown => pipeline.controller.clusters.watches.get("east")?.health().pods?.state;
  await pipeline.until("degraded", () => health() === "degraded");
  expect(pipeline.writesSince(from)).toEqual([]);
  mend();
  await pipeline.until("what went is deleted", () => pipeline.upstreams().length === 1);
  await pipeline.until("no nodes", () => pipeline.nodesOf("a.example.com")?.length === 0);
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 2, "DELETE routes": 1, "DELETE upstreams": 1 });
});

it.each([
  ["401", (pipeline: Pipeline) => pipeline.cluster("east").server.access.tokens.clear()],
  ["403", (pipeline: Pipeline) => pipeline.cluster("east").server.access.forbidden.add("pods")],
])("W6 %s after a credential change is degraded, never empty", async (status, refuse) => {
  const pipeline = await start(["a", "b"]);
  await pipeline.reconciled();
  const from = pipeline.mark;
  const { server, store } = pipeline.cluster("east");
  refuse(pipeline);
  for (const watch of server.traffic.openWatches()) watch.cut();
  await pipeline.until("degraded", () => !pipeline.controller.intake.sees("east", "pods"));
  const { clusters, routes } = await pipeline.controller.observation.status();
  expect(clusters[0]?.kinds.pods?.reason).toContain(status);
  expect(routes.Frozen).toBe(2);
  store.remove("pods", "shop/b");
  expect(pipeline.writesSince(from)).toEqual([]);
  server.access.tokens.add("sim-token");
  server.access.forbidden.clear();
  await pipeline.until("b is deleted", () => pipeline.upstreams().length === 1);
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 1, "DELETE routes": 1, "DELETE upstreams": 1 });
});

/** A group of three in each of two clusters, and ten Pods by themselves. */
function startGroups(): Promise<Pipeline> {
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
  const pipeline = await startGroups();
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
  const pipeline = await startGroups();
  await pipeline.reconciled();
  const from = pipeline.mark;
  const { server, store } = pipeline.cluster("west");
  server.access.tokens.clear();
  for (const watch of server.traffic.openWatches()) watch.cut();
  await pipeline.until("west is degraded", () => !pipeline.controller.intake.sees("west", "pods"));
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
  const pipeline = await startGroups();
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
