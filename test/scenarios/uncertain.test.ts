import { expect, it } from "vitest";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

/** Fifty times as fast: the 10 s of normal answers before an uncertain id is read back are 0.2 s. */
async function start(): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east"], {
    speed: 50,
    settings: { gateway: { timeout: "200ms" } },
    before: ({ fleet }) => void fleet.cluster("east").store.create("pods", web("a", "a.example.com")),
  });
  await pipeline.reconciled(1);
  return pipeline;
}

const reads = (pipeline: Pipeline, from: number): number =>
  pipeline.journal.exchanges
    .slice(from)
    .filter(({ method, path }) => method === "GET" && path.includes("/t-")).length;

const isCertain = (pipeline: Pipeline): Promise<void> =>
  pipeline.until("everything is certain", () => pipeline.controller.writer.retries.uncertain === 0);

it("a PUT that was given up and applied later than its repeat is read back, and the newest state is restored", async () => {
  const pipeline = await start();
  const store = pipeline.store("east");
  const { faults } = pipeline.gateway.admin;
  const looked = pipeline.journal.exchanges.length;
  // Applied after it was given up and after the write that follows.
  faults.add({
    fault: { kind: "delay", ms: 450, when: "before" },
    methods: ["PUT"],
    resource: "upstreams",
    times: 1,
  });
  store.patch("pods", "shop/a", (object) => withReady(object, false));
  await pipeline.until("it is given up", () => pipeline.controller.writer.retries.uncertain === 1);
  store.patch("pods", "shop/a", (object) => withReady(object, true));
  await pipeline.until("the late one is applied", () =>
    pipeline.writes.some(({ body }) => (body as { nodes?: unknown[] } | undefined)?.nodes?.length === 0),
  );
  await isCertain(pipeline);
  await pipeline.until("the newest state", () => pipeline.nodesOf("a.example.com")?.length === 1);
  await pipeline.caughtUp();
  expect(pipeline.nodesOf("a.example.com")).toHaveLength(1);
  expect(reads(pipeline, looked)).toBeGreaterThanOrEqual(2);
});

it("while it is uncertain on which pairs a route stands, nobody else gets any of them", async () => {
  const pipeline = await start();
  const store = pipeline.store("east");
  const { faults } = pipeline.gateway.admin;
  faults.add({
    fault: { kind: "delay", ms: 400, when: "before" },
    methods: ["PUT"],
    resource: "routes",
    times: 1,
  });
  store.patch("pods", "shop/a", (object) => withRoutes(object, [entry("new.example.com")]));
  await pipeline.until("it is given up", () => pipeline.controller.writer.retries.uncertain === 1);
  store.create("pods", web("thief", "new.example.com", { created: born(0) }));
  store.create("pods", web("heir", "a.example.com"));
  store.patch("pods", "shop/a", (object) => withRoutes(object, [entry("third.example.com")]));
  await isCertain(pipeline);
  await pipeline.until("all three", () => pipeline.routes().length === 3);
  await pipeline.caughtUp();
  expect(pipeline.holderOf("third.example.com")).toBe("east/shop/a/web");
  expect(pipeline.holderOf("new.example.com")).toBe("east/shop/thief/web");
  expect(pipeline.holderOf("a.example.com")).toBe("east/shop/heir/web");
});

it("a PUT that was applied although its answer was lost costs one repeat, a read back, and nothing more", async () => {
  const pipeline = await start();
  const { faults } = pipeline.gateway.admin;
  const from = pipeline.mark;
  faults.add({ fault: { kind: "reset", when: "after" }, methods: ["PUT"], resource: "upstreams", times: 1 });
  pipeline.store("east").patch("pods", "shop/a", (object) => withReady(object, false));
  await pipeline.until("the repeat", () => pipeline.mark === from + 2);
  await isCertain(pipeline);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);
});

it("a DELETE whose answer was lost is repeated until nothing stands", async () => {
  const pipeline = await start();
  const { faults } = pipeline.gateway.admin;
  const from = pipeline.mark;
  faults.add({ fault: { kind: "reset", when: "after" }, methods: ["DELETE"], resource: "routes", times: 1 });
  pipeline.store("east").remove("pods", "shop/a");
  await pipeline.until("nothing stands", () => pipeline.upstreams().length === 0);
  await isCertain(pipeline);
  await pipeline.caughtUp();
  expect(await pipeline.explain("east/shop/pod/a")).toEqual([]);
  const { "DELETE routes": deletes = 0, ...others } = pipeline.tally(from);
  expect(deletes).toBeLessThanOrEqual(2);
  expect(others).toEqual({ "PUT upstreams": 1, "DELETE upstreams": 1 });
});
