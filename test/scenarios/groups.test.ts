import { expect, it } from "vitest";
import { withDeletion, withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { withPhase, withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

const host = "app.example.com";

/** Replica `index` of a Deployment `app`, with these fields in its annotation. */
function replica(set: string, index: number, fields: object = {}, ready = true): ReturnType<typeof web> {
  const generation = set === "new" ? 100 : 0;
  const ip = `10.0.${generation}.${index}`;
  const created = born(generation + index);
  return web(`app-${set}-${index}`, host, {
    owner: `app-${set}`,
    ip,
    created,
    ready,
    routes: [entry(host, fields)],
  });
}

function start(replicas: number): Promise<Pipeline> {
  return Pipeline.start(["east"], {
    before: ({ fleet }) => {
      for (let index = 0; index < replicas; index++)
        fleet.cluster("east").store.create("pods", replica("old", index));
    },
  });
}

it("M10 a rollout that edits the annotation: every ready Pod stays a node throughout, the route is written once", async () => {
  const pipeline = await start(6);
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const from = pipeline.mark;
  const newer = { uri: "/v2/*", retries: 3 };
  for (let index = 0; index < 6; index++) {
    const [old, young] = [`shop/app-old-${index}`, `shop/app-new-${index}`];
    store.create("pods", replica("new", index, newer, false));
    store.patch("pods", young, (object) => withReady(object, true));
    await pipeline.until(
      "the new one",
      () => pipeline.nodesOf(host)?.includes(`10.0.100.${index}:8080`) === true,
    );
    const states = (await pipeline.explain(host)).map(({ name, state }) => `${name} ${state}`);
    expect(states).toContain(`app-new-${index} SpecMismatch`);
    expect(pipeline.nodesOf(host)).toHaveLength(7);
    store.patch("pods", old, (object) => withDeletion(object, Date.now()));
    store.remove("pods", old);
  }
  await pipeline.until("the new spec", () => pipeline.pairs()[0] === `${host} /v2/*`);
  await pipeline.caughtUp();
  expect(pipeline.nodesOf(host)).toEqual([0, 1, 2, 3, 4, 5].map((index) => `10.0.100.${index}:8080`));
  const bodies = pipeline.writes.slice(from).filter(({ resource }) => resource === "upstreams");
  for (const { body } of bodies)
    expect((body as { nodes: unknown[] }).nodes.length).toBeGreaterThanOrEqual(6);
  expect(pipeline.tally(from)["PUT routes"]).toBe(1);
  expect(pipeline.tally(from)["DELETE routes"]).toBeUndefined();
  expect(pipeline.upstreamOf(host)).toMatchObject({ retries: 3 });
});

it("A9 a rollout of 200 Pods: upstream writes are coalesced, no route is written", async () => {
  const pipeline = await start(200);
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const from = pipeline.mark;
  const mend = pipeline.gateway.admin.faults.add({
    fault: { kind: "delay", ms: 40, when: "before" },
    methods: ["PUT"],
  });
  for (let index = 0; index < 200; index++) {
    store.create("pods", replica("new", index, {}, false));
    store.patch("pods", `shop/app-new-${index}`, (object) => withReady(object, true));
    store.patch("pods", `shop/app-old-${index}`, (object) => withDeletion(object, Date.now()));
    store.patch("pods", `shop/app-old-${index}`, (object) => withReady(object, false));
    store.remove("pods", `shop/app-old-${index}`);
  }
  await pipeline.until("the new ones", () => {
    const nodes = pipeline.nodesOf(host) ?? [];
    return nodes.length === 200 && nodes.every((node) => node.startsWith("10.0.100."));
  });
  mend();
  await pipeline.caughtUp();
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);
  expect(pipeline.writesSince(from).length).toBeLessThan(100);
});

it("a member with another scheme gives no nodes; one on a port of its own does, and the oldest living sets the spec", async () => {
  const pipeline = await start(1);
  await pipeline.reconciled();
  const store = pipeline.store("east");
  store.create("pods", replica("new", 1, { scheme: "https" }));
  store.create("pods", replica("new", 2, { port: 9090 }));
  await pipeline.until("the other port", () => pipeline.nodesOf(host)?.length === 2);
  await pipeline.caughtUp();
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.0:8080", "10.0.100.2:9090"]);
  store.patch("pods", "shop/app-old-0", (object) => withPhase(object, "Succeeded"));
  await pipeline.until("the next oldest", () => pipeline.upstreamOf(host)?.["scheme"] === "https");
  expect(pipeline.nodesOf(host)).toEqual(["10.0.100.1:8080"]);
  expect(
    pipeline.writes.filter(({ method, resource }) => method === "PUT" && resource === "routes"),
  ).toHaveLength(1);
});

it("a typo in the only spec freezes the settings and follows the nodes, under the next translator too", async () => {
  const pipeline = await start(2);
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const from = pipeline.mark;
  for (const name of ["app-old-0", "app-old-1"])
    store.patch("pods", `shop/${name}`, (object) =>
      withRoutes(object, [entry(host, { retries: "many", port: 1 })]),
    );
  await pipeline.caughtUp();
  expect(await pipeline.statesOf("east/shop/pod/app-old-0")).toEqual(["Invalid"]);
  expect(pipeline.writesSince(from)).toEqual([]);
  store.patch("pods", "shop/app-old-0", (object) => withReady(object, false));
  await pipeline.until("one node", () => pipeline.nodesOf(host)?.join() === "10.0.0.1:8080");
  await pipeline.restart();
  await pipeline.reconciled();
  store.patch("pods", "shop/app-old-0", (object) => withReady(object, true));
  await pipeline.until("two nodes", () => pipeline.nodesOf(host)?.join() === "10.0.0.0:8080,10.0.0.1:8080");
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);
  store.patch("pods", "shop/app-old-0", (object) => withRoutes(object, [entry(host, { retries: 2 })]));
  await pipeline.until("mended", () => pipeline.upstreamOf(host)?.["retries"] === 2);
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams", "PUT upstreams"]);
});

it("an annotation that cannot be read keeps every route of its object; a new Pod with one joins no group", async () => {
  const pipeline = await start(1);
  await pipeline.reconciled();
  const store = pipeline.store("east");
  store.create("pods", web("lone", "lone.example.com"));
  await pipeline.until("lone", () => pipeline.nodesOf("lone.example.com")?.length === 1);
  const from = pipeline.mark;
  store.patch("pods", "shop/lone", (object) => withRoutes(object, "not JSON"));
  store.patch("pods", "shop/app-old-0", (object) => withRoutes(object, "{"));
  store.create("pods", web("late", host, { owner: "app-old", routes: "]" }));
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
  expect((await pipeline.controller.observation.counts()).Invalid).toBe(3);
  store.patch("pods", "shop/lone", (object) => withReady(object, false));
  store.patch("pods", "shop/app-old-0", (object) => withReady(object, false));
  await pipeline.until("no nodes", () => pipeline.nodesOf("lone.example.com")?.length === 0);
  await pipeline.until("no nodes", () => pipeline.nodesOf(host)?.length === 0);
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);
});
