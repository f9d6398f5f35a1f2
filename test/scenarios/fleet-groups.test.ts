import { expect, it } from "vitest";
import { withDeletion, withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

const host = "shop.example.com";

/** Member `order` of the fleet group, the lower the older. */
function member(order: number, fields: object = {}, ready = true): ReturnType<typeof web> {
  return web(`p-${order}`, host, {
    ...{ ip: `10.0.0.${order}`, created: born(order), ready, owner: `set-${order}` },
    routes: [entry(host, { share: "fleet", ...fields })],
  });
}

const nodes = (...orders: number[]): string[] => orders.map((order) => `10.0.0.${order}:8080`);

/** East has the oldest member, 1, with `retries: 5`; West has 2 and 3. */
async function start(clusters: readonly string[] = ["east", "west"], speed = 1): Promise<Pipeline> {
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

async function lose(pipeline: Pipeline, cluster: string): Promise<void> {
  await pipeline.cluster(cluster).server.stop();
  await pipeline.until(
    `${cluster} is degraded`,
    () => pipeline.controller.clusters.watches.get(cluster)?.health().pods?.state === "degraded",
  );
}

async function reasonsOf(pipeline: Pipeline, pod: string): Promise<string[]> {
  return (await pipeline.explain(host)).filter(({ name }) => name === pod).map(({ reason }) => reason);
}

const notReady = (pipeline: Pipeline, cluster: string, order: number): void =>
  pipeline.store(cluster).patch("pods", `shop/p-${order}`, (object) => withReady(object, false)) as never;

it("M6 one upstream with both clusters' nodes; members that disagree: the oldest holds; a degraded one's nodes stay", async () => {
  const pipeline = await start(["east", "west"], 30);
  expect(pipeline.nodesOf(host)).toEqual(nodes(1, 2, 3));
  expect(pipeline.upstreamOf(host)).toMatchObject({ retries: 5, name: "shop/web" });
  expect((await pipeline.explain(host)).map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
    "p-1 Routed",
    "p-2 SpecMismatch",
    "p-3 SpecMismatch",
  ]);
  expect(await reasonsOf(pipeline, "p-2")).toEqual([
    "differs in retries from east/shop/pod/p-1, the oldest member of its group, which sets the route and the upstream",
  ]);
  const from = pipeline.mark;
  await lose(pipeline, "east");
  await pipeline.caughtUp(["west"]);
  expect(await reasonsOf(pipeline, "p-2")).toEqual([
    "differs in retries from its group's settings, which are kept as they stand",
  ]);
  expect(pipeline.writesSince(from)).toEqual([]);
  expect((await pipeline.explain(host)).map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
    "p-1 Frozen",
    "p-2 SpecMismatch",
    "p-3 SpecMismatch",
  ]);
  pipeline.store("east").remove("pods", "shop/p-1");
  notReady(pipeline, "west", 2);
  pipeline.store("west").create("pods", member(4, { uri: "/v4/*" }));
  await pipeline.until(
    "the others are followed",
    () => pipeline.nodesOf(host)?.join() === nodes(1, 3, 4).join(),
  );
  await pipeline.caughtUp(["west"]);
  expect(pipeline.upstreamOf(host)).toMatchObject({ retries: 5 });
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);

  await pipeline.cluster("east").server.start();
  await pipeline.until("its node goes", () => pipeline.nodesOf(host)?.join() === nodes(3, 4).join());
  await pipeline.caughtUp();
  expect(pipeline.upstreamOf(host)?.["retries"]).toBe(1);
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);
});

it.each([
  ["held the oldest member", "east", [2, 3]],
  ["held most nodes", "west", [1]],
] as const)(
  "M8 L4 a new leader, one cluster down, which %s: spec frozen, its nodes stay, the others follow",
  async (_, down, others) => {
    const pipeline = await start();
    await pipeline.stopController();
    await pipeline.cluster(down).server.stop();
    const from = pipeline.mark;
    await pipeline.restart();
    await pipeline.reconciled();
    const up = down === "east" ? "west" : "east";
    await pipeline.caughtUp([up]);
    expect(pipeline.writesSince(from)).toEqual([]);
    for (const order of others) notReady(pipeline, up, order);
    pipeline.store(up).create("pods", member(4, { retries: 9 }));
    const kept = [1, 2, 3].filter((order) => !(others as readonly number[]).includes(order));
    await pipeline.until(
      "the others follow",
      () => pipeline.nodesOf(host)?.join() === nodes(...kept, 4).join(),
    );
    await pipeline.caughtUp([up]);
    expect(pipeline.upstreamOf(host)?.["retries"]).toBe(5);
    expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);

    await pipeline.cluster(down).server.start();
    await pipeline.until("it is seen", () => pipeline.controller.intake.sees(down, "pods"));
    await pipeline.caughtUp();
    expect(pipeline.nodesOf(host)).toEqual(nodes(...kept, 4));
    expect(pipeline.tally(from)["PUT routes"]).toBeUndefined();
  },
);

it("M8 a new leader, one cluster down that held no node; the last others go: the group stays until it is seen", async () => {
  const pipeline = await start();
  notReady(pipeline, "east", 1);
  await pipeline.until("no node of east", () => pipeline.nodesOf(host)?.join() === nodes(2, 3).join());
  await pipeline.stopController();
  await pipeline.cluster("east").server.stop();
  await pipeline.restart();
  await pipeline.reconciled();
  const from = pipeline.mark;
  for (const order of [2, 3]) pipeline.store("west").remove("pods", `shop/p-${order}`);
  await pipeline.until("no nodes", () => pipeline.nodesOf(host)?.length === 0);
  await pipeline.caughtUp(["west"]);
  expect(pipeline.holderOf(host)).toBe("shop/web");
  pipeline.store("east").remove("pods", "shop/p-1");
  await pipeline.cluster("east").server.start();
  await pipeline.until("it goes", () => pipeline.upstreams().length === 0);
  expect(pipeline.tally(from)).toMatchObject({ "DELETE routes": 1, "DELETE upstreams": 1 });
});

it("M11 a member's annotation becomes Invalid, then its Pods move: nodes follow, also after a restart, also with a cluster down", async () => {
  const pipeline = await start();
  const bad = [entry(host, { share: "fleet", retries: "many" })];
  for (const order of [2, 3])
    pipeline.store("west").patch("pods", `shop/p-${order}`, (object) => withRoutes(object, bad));
  pipeline.store("east").patch("pods", "shop/p-1", (object) => withRoutes(object, bad));
  await pipeline.caughtUp();
  const from = pipeline.mark;
  notReady(pipeline, "west", 2);
  await pipeline.until("it follows", () => pipeline.nodesOf(host)?.join() === nodes(1, 3).join());
  await pipeline.stopController();
  await pipeline.cluster("east").server.stop();
  await pipeline.restart();
  await pipeline.reconciled();
  pipeline
    .store("west")
    .create("pods", web("p-4", host, { ip: "10.0.0.4", created: born(4), owner: "set-4", routes: bad }));
  pipeline.store("west").patch("pods", "shop/p-2", (object) => withReady(object, true));
  await pipeline.until("it follows again", () => pipeline.nodesOf(host)?.join() === nodes(1, 2, 3, 4).join());
  expect(pipeline.upstreamOf(host)?.["retries"]).toBe(5);
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);
});

it("a group goes as a whole when its last member of all has gone, with grace; an empty list of one cluster takes only its part", async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  for (const order of [2, 3]) pipeline.store("west").remove("pods", `shop/p-${order}`);
  await pipeline.until("east is left", () => pipeline.nodesOf(host)?.join() === nodes(1).join());
  await pipeline.caughtUp();
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);
  expect(JSON.stringify(pipeline.upstreamOf(host)?.["labels"])).not.toContain("member.west");
  pipeline.store("east").patch("pods", "shop/p-1", (object) => withDeletion(object, Date.now()));
  pipeline.store("east").remove("pods", "shop/p-1");
  await pipeline.until("all gone", () => pipeline.upstreams().length === 0);
  expect(pipeline.tally(from)).toMatchObject({ "DELETE routes": 1, "DELETE upstreams": 1 });
});

it("a drained cluster: upstream writes only, unguarded, whether it is seen or not; undone likewise", async () => {
  const pipeline = await start(["east", "west"], 30);
  const from = pipeline.mark;
  const weigh = (weight: number): void => pipeline.configure({ clusters: { west: { weight } } });
  weigh(0);
  await pipeline.until("drained", () => pipeline.nodesOf(host)?.join() === nodes(1).join());
  weigh(7);
  await pipeline.until("undone", () => pipeline.nodesOf(host)?.length === 3);
  await lose(pipeline, "west");
  weigh(0);
  await pipeline.until("drained again", () => pipeline.nodesOf(host)?.join() === nodes(1).join());
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams", "PUT upstreams"]);
});

it.each(["is lost meanwhile", "was never seen in this term"])(
  "a drained cluster that %s: groups that are its alone are emptied too, in upstream writes; seen again they are filled",
  async (how) => {
    const pipeline = await start(["east", "west"], 30);
    pipeline.store("west").create("pods", web("own", "own.example.com"));
    pipeline.store("east").create("pods", web("other", "other.example.com"));
    await pipeline.until("all", () => pipeline.nodesOf("own.example.com")?.length === 1);
    await pipeline.caughtUp();
    if (how === "is lost meanwhile") await lose(pipeline, "west");
    else {
      await pipeline.stopController();
      await pipeline.cluster("west").server.stop();
      await pipeline.restart();
      await pipeline.reconciled();
    }
    const from = pipeline.mark;
    pipeline.configure({ clusters: { west: { weight: 0 } } });
    await pipeline.until("drained", () => pipeline.nodesOf("own.example.com")?.length === 0);
    await pipeline.until("the part too", () => pipeline.nodesOf(host)?.join() === nodes(1).join());
    await pipeline.idle();
    expect(pipeline.namedSince(from).toSorted()).toEqual([
      "PUT upstreams shop/web",
      "PUT upstreams west/shop/own/web",
    ]);
    pipeline.configure({});
    await pipeline.until("the part is back", () => pipeline.nodesOf(host)?.length === 3);
    await pipeline.idle();
    expect(pipeline.nodesOf("own.example.com")).toEqual([]);
    await pipeline.cluster("west").server.start();
    await pipeline.until("filled", () => pipeline.nodesOf("own.example.com")?.length === 1);
    await pipeline.caughtUp();
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 4 });
  },
);

it("a cluster leaves the configuration: what shards had queued of it is not written any more, its part stands", async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  pipeline.controller.intake.take({
    ...{ type: "delete", cluster: "west", session: 1, kind: "pods", relist: false, at: 1 },
    key: { namespace: "shop", name: "p-2" },
  });
  pipeline.configure({ without: ["west"] });
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);
  notReady(pipeline, "east", 1);
  await pipeline.until("the others go on", () => pipeline.nodesOf(host)?.join() === nodes(2, 3).join());
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams"]);
  expect(pipeline.log.filter(({ message }) => message.includes("has left"))).toMatchObject([
    {
      level: "warn",
      fields: {
        cluster: "west",
        routes: 1,
        upstreams: 1,
        advice: expect.stringContaining("purge --cluster west"),
      },
    },
  ]);
  const parts = (await pipeline.explain(host)).filter(({ cluster }) => cluster === "west");
  expect(parts).toMatchObject([{ state: "Frozen", reason: expect.stringContaining("purge --cluster west") }]);
  pipeline.configure({});
  expect(pipeline.log.at(-1)).toMatchObject({
    ...{ message: "a cluster has come into the configuration", fields: { cluster: "west" } },
  });
});

it.each(["the leader", "an errand that watches nobody"])(
  "a purged cluster (by %s): its part of fleet groups and all that is its alone go, unguarded; others' stay",
  async (who) => {
    const pipeline = await start(["east", "west"], 30);
    pipeline.store("west").create("pods", web("own", "own.example.com"));
    pipeline.store("east").create("pods", web("other", "other.example.com"));
    await pipeline.until("all", () => pipeline.routes().length === 3);
    await pipeline.caughtUp();
    const { decisions } = pipeline.controller;
    expect(await decisions.purge("west")).toMatchObject({ ok: false, status: 409 });
    expect(await decisions.purge("north")).toMatchObject({ ok: false, status: 404 });
    if (who === "the leader") await lose(pipeline, "west");
    else await pipeline.restart({ without: ["west"] }, { watch: false });
    const from = pipeline.mark;
    await pipeline.until("it has been read", () => pipeline.controller.writer.isAtWork);
    expect(await pipeline.controller.decisions.purge("west")).toMatchObject({ ok: true, groups: 2, left: 0 });
    await pipeline.idle();
    expect(pipeline.nodesOf(host)).toEqual(nodes(1));
    expect(pipeline.namedSince(from).toSorted()).toEqual([
      "DELETE routes west/shop/own/web",
      "DELETE upstreams west/shop/own/web",
      "PUT upstreams shop/web",
    ]);
    await pipeline.restart({ without: ["west"] });
    await pipeline.reconciled();
    await pipeline.caughtUp(["east"]);
    expect(pipeline.writesSince(from + 3)).toEqual([]);
  },
);

it("in conflict, without a route, its upstream stays while a cluster with a part in it is out of sight", async () => {
  const pipeline = await start();
  const { store } = pipeline.gateway.admin;
  pipeline.store("west").create("pods", web("challenger", host, { ip: "10.0.0.9", created: born(1) }));
  const [upstream] = store.list("upstreams");
  pipeline.configure({ without: ["east"] });
  await pipeline.idle();
  pipeline.asStranger("DELETE", `routes/${upstream?.id}`);
  await pipeline.controller.audit.run();
  await pipeline.until("the other has the host", () => pipeline.nodesOf(host)?.join() === nodes(9).join());
  await pipeline.caughtUp(["west"]);
  expect(store.get("upstreams", upstream?.id ?? "")?.value["nodes"]).toEqual(upstream?.value["nodes"]);
  pipeline.configure({});
  await pipeline.until("all is seen", () => [...store.list("upstreams")].length === 1);
});

it("without a route, those that are seen set the settings; the part of who is out of sight stays (0020)", async () => {
  const pipeline = await start();
  const [id] = pipeline.gateway.admin.store.list("upstreams").map((upstream) => upstream.id);
  pipeline.configure({ without: ["east"] });
  await pipeline.idle();
  expect(pipeline.upstreamOf(host)).toMatchObject({ retries: 5 });
  pipeline.asStranger("DELETE", `routes/${id}`);
  await pipeline.controller.audit.run();
  await pipeline.until("the route stands again", () => pipeline.routes().length === 1);
  await pipeline.caughtUp(["west"]);
  expect(pipeline.upstreamOf(host)).toMatchObject({ retries: 1 });
  expect(pipeline.nodesOf(host)).toEqual(nodes(1, 2, 3));
});

it("where each shard sees one cluster the declaration is Forbidden, and says why", async () => {
  const pipeline = await Pipeline.start(["east"], {
    settings: { shards: { count: 1, by: "cluster" } },
    before: ({ fleet }) => void fleet.cluster("east").store.create("pods", member(1)),
  });
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.upstreams()).toEqual([]);
  expect(await pipeline.explain("east/shop/pod/p-1")).toMatchObject([
    { state: "Forbidden", reason: expect.stringContaining("shards.by") },
  ]);
});
