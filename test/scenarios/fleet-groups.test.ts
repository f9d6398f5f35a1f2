import { expect, it } from "vitest";
import { withDeletion, withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";
import { host, lose, member, nodes, notReady, start } from "./fleet-group.ts";

async function reasonsOf(pipeline: Pipeline, pod: string): Promise<string[]> {
  return (await pipeline.explain(host)).filter(({ name }) => name === pod).map(({ reason }) => reason);
}

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
