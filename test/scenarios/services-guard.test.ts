import { expect, it } from "vitest";
import { withEndpoints } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { shop, slice, webWith } from "./services.ts";

const count = 12;
const names = Array.from({ length: count }, (_, index) => `web-${index}`);
const sliceOf = (name: string): ReturnType<typeof slice> => slice(name, ["10.0.0.1"], { service: name });

function start(settings: object = {}): Promise<Pipeline> {
  return Pipeline.start(["east"], {
    ...{ memoryShards: true, settings },
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      for (const name of names) {
        store.create("services", shop(name));
        store.create("endpointslices", sliceOf(name));
      }
    },
  });
}

const isHeld = (pipeline: Pipeline, groups: number): Promise<void> =>
  pipeline.until(
    `${groups} to be held`,
    () => pipeline.controller.writer.guard.status().held === groups,
    10_000,
  );

/** How many of the upstreams have a node. */
const full = (pipeline: Pipeline): number =>
  names.filter((name) => pipeline.nodesOf(`${name}.example.com`)?.length === 1).length;

function removeSlices(pipeline: Pipeline): void {
  for (const name of names) pipeline.store("east").remove("endpointslices", `shop/${name}`);
}

it.each(["a relist", "a restart"] as const)(
  "all slices are gone in %s: no upstream loses a node until that is approved; what returns releases its own",
  async (how) => {
    const pipeline = await start();
    await pipeline.reconciled(count);
    const from = pipeline.mark;
    if (how === "a relist") {
      const { server, store } = pipeline.cluster("east");
      await server.stop();
      removeSlices(pipeline);
      store.compact();
      await server.start();
    } else {
      await pipeline.stopController();
      removeSlices(pipeline);
      await pipeline.restart();
    }
    await isHeld(pipeline, count);
    expect(await pipeline.statesOf("east/shop/service/web-3")).toEqual(["Frozen"]);
    expect((await pipeline.explain("web-3.example.com"))[0]?.reason).toContain("the loss of all its nodes");
    pipeline.store("east").create("services", shop("new"));
    pipeline.store("east").create("endpointslices", slice("new", ["10.0.0.9"], { service: "new" }));
    await pipeline.until("the new one", () => pipeline.nodesOf("new.example.com")?.length === 1);
    pipeline.store("east").create("endpointslices", sliceOf("web-0"));
    await isHeld(pipeline, count - 1);
    await pipeline.caughtUp();
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 1, "PUT routes": 1 });
    expect(full(pipeline)).toBe(count);

    const { batch } = (await pipeline.controller.observation.status()).guard;
    expect(pipeline.controller.observation.approve(batch ?? "")).toBe(count - 1);
    await pipeline.until("the others to be emptied", () => full(pipeline) === 1);
    await pipeline.caughtUp();
    expect(pipeline.routes()).toHaveLength(count + 1);
    expect(await pipeline.statesOf("east/shop/service/web-3")).toEqual(["NoNodes"]);
  },
);

it("slices that go one by one: within the limit upstreams are emptied, what is over is held; empty slices are not counted", async () => {
  const pipeline = await start({ guard: { maxDeletes: 3, maxDeleteRatio: 0 } });
  await pipeline.reconciled(count);
  const store = pipeline.store("east");
  for (const name of names.slice(0, 4)) {
    store.patch("endpointslices", `shop/${name}`, (object) => withEndpoints(object, []));
  }
  await pipeline.until("four to be empty", () => full(pipeline) === count - 4);
  for (const name of names.slice(4)) store.remove("endpointslices", `shop/${name}`);
  await isHeld(pipeline, count - 4 - 3);
  await pipeline.caughtUp();
  expect(full(pipeline)).toBe(count - 4 - 3);
});

it("a Service without slices that the guard holds releases itself when it returns as it was, and its route can change", async () => {
  const pipeline = await webWith([], { settings: { guard: { maxDeletes: 0, maxDeleteRatio: 0 } } });
  const enable = (value: string): unknown =>
    pipeline.store("east").patch("services", "shop/web", (object) => {
      const labels = { ...object.metadata.labels, "apisix-translator.io/enabled": value };
      return { ...object, metadata: { ...object.metadata, labels } };
    });
  enable("false");
  await isHeld(pipeline, 1);
  enable("true");
  await isHeld(pipeline, 0);
  const { annotations = {} } = shop("web", {
    routes: [{ name: "web", port: 80, host: "new.example.com" }],
  }).metadata;
  pipeline.store("east").patch("services", "shop/web", (object) => ({
    ...object,
    metadata: { ...object.metadata, annotations },
  }));
  await pipeline.until("its new host", () => pipeline.nodesOf("new.example.com") !== undefined, 10_000);
  expect(pipeline.routes()).toHaveLength(1);
});
