import { expect, it } from "vitest";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, many, web } from "./pods.ts";

const status = async (pipeline: Pipeline): Promise<{ held: number; batch: string | null }> =>
  (await pipeline.controller.observation.status()).guard;

/** All are emptied before the first is to go, on a machine that is busy too. */
const longGrace = { deleteGrace: "1500ms" };

const isHeld = (pipeline: Pipeline, groups: number): Promise<void> =>
  pipeline.until(`${groups} to be held`, () => pipeline.controller.writer.guard.status().held === groups);

/** Everything of the kind goes during an outage, and the history of it too. */
async function relistTo(pipeline: Pipeline, change: () => void): Promise<void> {
  const { server, store } = pipeline.cluster("east");
  await server.stop();
  change();
  store.compact();
  await server.start();
}

it("G1 300 objects, then an empty list that is genuine: nothing is deleted or emptied, creates go on, approval releases that batch", async () => {
  const pods = many("web", 300);
  const pipeline = await Pipeline.start(["east"], {
    before: ({ fleet }) => {
      for (const each of pods) fleet.cluster("east").store.create("pods", each);
    },
  });
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const from = pipeline.mark;
  await relistTo(pipeline, () => {
    for (const { metadata } of pods) store.remove("pods", `shop/${metadata.name}`);
  });
  await isHeld(pipeline, 300);
  store.create("pods", web("new", "new.example.com"));
  store.create("pods", web("thief", "web-77.example.com", { created: born(0) }));
  await pipeline.until("the new one", () => pipeline.nodesOf("new.example.com")?.length === 1);
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 1, "PUT routes": 1 });
  expect(await pipeline.statesOf("east/shop/pod/thief")).toEqual(["Conflict"]);
  const { routes, guard } = await pipeline.controller.observation.status();
  expect({ held: guard.held, frozen: routes.Frozen }).toEqual({ held: 300, frozen: 300 });
  expect(await pipeline.controller.observation.metrics()).toMatch(/guard_held 300\n/);
  expect(pipeline.log.some(({ message }) => message === "the guard holds removals")).toBe(true);
  expect(pipeline.controller.observation.ready().ready).toBe(true);

  for (const each of pods.slice(0, 50)) store.create("pods", each);
  await isHeld(pipeline, 250);
  await pipeline.caughtUp();
  const later = pipeline.mark;
  store.remove("pods", "shop/new");
  await pipeline.until("the later one", () => pipeline.nodesOf("new.example.com") === undefined);
  expect(pipeline.controller.observation.approve(guard.batch ?? "")).toBe(250);
  await pipeline.until("the batch is gone", () => pipeline.upstreams().length === 51);
  await pipeline.until("the thief", () => pipeline.holderOf("web-77.example.com") === "east/shop/thief/web");
  await pipeline.caughtUp();
  expect(pipeline.tally(later)["DELETE routes"]).toBe(251);
  expect((await status(pipeline)).held).toBe(0);
});

it("fewer than the limit, but nothing found where ten or more stood: all of it is held; a source that returns releases its own", async () => {
  const pods = many("web", 12);
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { throttle: longGrace },
    before: ({ fleet }) => {
      for (const each of pods) fleet.cluster("east").store.create("pods", each);
    },
  });
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const kept = pods
    .map(({ metadata }) => store.get("pods", `shop/${metadata.name}`))
    .filter((each) => each !== undefined);
  const from = pipeline.mark;
  await relistTo(pipeline, () => {
    for (const { metadata } of pods) store.remove("pods", `shop/${metadata.name}`);
  });
  await isHeld(pipeline, 12);
  for (const each of kept.slice(0, 5)) store.create("pods", each);
  await isHeld(pipeline, 7);
  await pipeline.restart();
  await pipeline.until(
    "under the next translator 7 of 12 are no empty list",
    () => pipeline.upstreams().length === 5,
  );
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 7, "DELETE routes": 7, "DELETE upstreams": 7 });
});

it("held at the start: a translator that finds an emptied cluster holds all of it and says so", async () => {
  const pods = many("web", 12);
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { throttle: longGrace },
    before: ({ fleet }) => {
      for (const each of pods) fleet.cluster("east").store.create("pods", each);
    },
  });
  await pipeline.reconciled();
  const from = pipeline.mark;
  await pipeline.stopController();
  for (const { metadata } of pods) pipeline.store("east").remove("pods", `shop/${metadata.name}`);
  await pipeline.restart();
  await isHeld(pipeline, 12);
  await pipeline.reconciled();
  expect(pipeline.writesSince(from)).toEqual([]);
  const { batch } = await status(pipeline);
  expect(pipeline.controller.observation.approve(batch ?? "")).toBe(12);
  await pipeline.until("all are gone", () => pipeline.upstreams().length === 0);
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 12, "DELETE routes": 12, "DELETE upstreams": 12 });
});

it("approval releases what was shown, not what came later; an unknown batch releases nothing", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { guard: { maxDeletes: 0, maxDeleteRatio: 0 } },
    before: ({ fleet }) => {
      for (const each of many("web", 3)) fleet.cluster("east").store.create("pods", each);
    },
  });
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const { observation } = pipeline.controller;
  const from = pipeline.mark;
  store.remove("pods", "shop/web-0");
  await isHeld(pipeline, 1);
  const first = await status(pipeline);
  store.remove("pods", "shop/web-1");
  await isHeld(pipeline, 2);
  const second = await status(pipeline);
  expect(second.batch).not.toBe(first.batch);
  expect(observation.approve("nonsense")).toBeUndefined();
  expect(observation.approve(first.batch ?? "")).toBe(1);
  await pipeline.until("web-0 is gone", () => pipeline.upstreams().length === 2);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from).every((write) => write.endsWith("east/shop/web-0/web"))).toBe(true);
  expect(pipeline.nodesOf("web-1.example.com")).toHaveLength(1);
  expect(observation.approve(second.batch ?? "")).toBe(1);
  await pipeline.until("web-1 is gone", () => pipeline.upstreams().length === 1);
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 2, "DELETE routes": 2, "DELETE upstreams": 2 });
});

it("a declaration that a new policy forbids is deleted without grace, unless the guard holds it", async () => {
  const routes = [{ name: "web", port: 80, host: "p.example.com", plugins: { cors: {} } }];
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { policy: { plugins: ["cors"] }, throttle: { deleteGrace: "1h" } },
    before: ({ fleet }) => void fleet.cluster("east").store.create("pods", web("p", "", { routes })),
  });
  await pipeline.reconciled();
  const from = pipeline.mark;
  await pipeline.restart({ guard: { maxDeletes: 0, maxDeleteRatio: 0 } });
  await isHeld(pipeline, 1);
  await pipeline.reconciled();
  expect(pipeline.writesSince(from)).toEqual([]);
  expect((await pipeline.explain("east/shop/pod/p"))[0]).toMatchObject({
    state: "Forbidden",
    reason: expect.stringContaining("cors") as string,
  });
  await pipeline.restart({ throttle: { deleteGrace: "1h" } });
  await pipeline.until("it is gone", () => pipeline.upstreams().length === 0);
  expect(pipeline.writesSince(from)).toEqual(["DELETE routes", "DELETE upstreams"]);
  pipeline.store("east").create("pods", web("q", "", { routes: [{ ...routes[0], host: "q.example.com" }] }));
  await pipeline.caughtUp();
  expect(await pipeline.statesOf("east/shop/pod/q")).toEqual(["Forbidden"]);
  expect(pipeline.mark).toBe(from + 2);
});

it("what the guard holds is held no more while its annotation cannot be read: its nodes are followed, and it is held anew", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { guard: { maxDeletes: 0, maxDeleteRatio: 0 } },
    before: ({ fleet }) => {
      fleet.cluster("east").store.create("pods", web("a", "a.example.com"));
    },
  });
  await pipeline.reconciled();
  const says = (routes: string, ready: boolean): void => {
    pipeline.store("east").update("pods", web("a", "a.example.com", { routes, ready }));
  };
  says("[]", true);
  await isHeld(pipeline, 1);
  const from = pipeline.mark;
  says("[]", false);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
  says("[", false);
  await pipeline.until("it has no nodes", () => pipeline.nodesOf("a.example.com")?.length === 0);
  expect((await status(pipeline)).held).toBe(0);
  says("[", true);
  await pipeline.until("it has its node again", () => pipeline.nodesOf("a.example.com")?.length === 1);
  says("[]", true);
  await isHeld(pipeline, 1);
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 2 });
});
