import { expect, it } from "vitest";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { entry, many, web } from "./pods.ts";

const paused = "apisix-translator.io/paused";

function start(settings: object, speed = 1): Promise<Pipeline> {
  return Pipeline.start(["east"], {
    ...{ settings, speed, memoryShards: true },
    before: ({ fleet }) => {
      for (const each of many("web", 10)) fleet.cluster("east").store.create("pods", each);
    },
  });
}

it("a long routeInterval gathers route writes, and does not delay endpoint updates", async () => {
  // Three seconds, of which the endpoint updates need a small part.
  const pipeline = await start({ throttle: { routeInterval: "2m" } }, 40);
  await pipeline.reconciled(10);
  const store = pipeline.store("east");
  const from = pipeline.mark;
  for (let priority = 1; priority <= 20; priority++)
    for (let index = 0; index < 5; index++)
      store.patch("pods", `shop/web-${index}`, (object) =>
        withRoutes(object, [entry(`web-${index}.example.com`, { priority })]),
      );
  for (let index = 0; index < 5; index++) {
    store.create("pods", web(`new-${index}`, `new-${index}.example.com`));
    store.patch("pods", `shop/web-${5 + index}`, (object) => withReady(object, false));
  }
  await pipeline.until("the endpoint updates", () => pipeline.mark === from + 5);
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 5 });
  await pipeline.until(
    "what waits",
    async () => (await pipeline.controller.observation.counts()).Pending === 10,
  );
  const { queues } = await pipeline.controller.observation.status();
  expect(queues.nextBurstAt).not.toBeNull();

  await pipeline.until("the burst", () => pipeline.routes().length === 15);
  await pipeline.until("the burst is over", () => !pipeline.controller.writer.bursts.running);
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 10, "PUT routes": 10 });
  expect(pipeline.routes().filter(({ priority }) => priority === 20)).toHaveLength(5);
});

it("a slow upstream write holds up nobody, and the newest state wins", async () => {
  const pipeline = await start({});
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const { faults } = pipeline.gateway.admin;
  const id = String(pipeline.routeOf("web-0.example.com")?.["id"]);
  const from = pipeline.mark;
  faults.add({ fault: { kind: "delay", ms: 400, when: "before" }, methods: ["PUT"], id, times: 1 });
  for (let round = 0; round < 20; round++)
    store.patch("pods", "shop/web-0", (object) => withReady(object, round % 2 === 1));
  store.patch("pods", "shop/web-0", (object) => withReady(object, false));
  for (let index = 1; index < 10; index++)
    store.patch("pods", `shop/web-${index}`, (object) => withReady(object, false));
  await pipeline.until("all are empty", () =>
    pipeline.upstreams().every(({ nodes }) => (nodes as []).length === 0),
  );
  await pipeline.caughtUp();
  const own = pipeline.writes.slice(from).filter((write) => write.id === id);
  expect(own.length).toBeLessThanOrEqual(2);
  expect(pipeline.mark - from - own.length).toBe(9);
});

it("a paused object is left as it is, its nodes too, under the next translator as well; its end is its end", async () => {
  const pipeline = await start({});
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const from = pipeline.mark;
  store.patch("pods", "shop/web-0", (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [paused]: "true" } },
  }));
  await pipeline.caughtUp();
  store.patch("pods", "shop/web-0", (object) => withReady(object, false));
  store.patch("pods", "shop/web-0", (object) => withRoutes(object, [entry("elsewhere.example.com")]));
  await pipeline.caughtUp();
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
  expect(await pipeline.explain("east/shop/pod/web-0")).toMatchObject([{ state: "Frozen", nodes: 1 }]);
  store.remove("pods", "shop/web-0");
  await pipeline.until("it is gone", () => pipeline.upstreams().length === 9);
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "DELETE routes", "DELETE upstreams"]);
});

it("a paused member of a group freezes only its own part", async () => {
  const owner = "app";
  const host = "app.example.com";
  const pipeline = await Pipeline.start(["east"], {
    before: ({ fleet }) => {
      for (const [name, ip] of [
        ["a", "10.0.0.1"],
        ["b", "10.0.0.2"],
      ] as const)
        fleet.cluster("east").store.create("pods", web(name, host, { owner, ip }));
    },
  });
  await pipeline.reconciled();
  const store = pipeline.store("east");
  store.patch("pods", "shop/a", (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [paused]: "true" } },
  }));
  await pipeline.caughtUp();
  const from = pipeline.mark;
  for (const name of ["a", "b"]) store.patch("pods", `shop/${name}`, (object) => withReady(object, false));
  await pipeline.until("b has gone", () => pipeline.nodesOf(host)?.join() === "10.0.0.1:8080");
  const reasons = (await pipeline.explain(host)).map(({ name, reason }) => `${name}: ${reason}`);
  expect(reasons).toContain("a: paused by its annotation: only its own part of the group is kept as it is");
  await pipeline.restart();
  await pipeline.reconciled();
  store.patch("pods", "shop/b", (object) => withReady(object, true));
  await pipeline.until("b is back", () => pipeline.nodesOf(host)?.length === 2);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);
});
