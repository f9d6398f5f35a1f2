import { expect, it } from "vitest";
import { withLabels, withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, web } from "./pods.ts";

const host = "h.example.com";

function start(deleteGrace: string): Promise<Pipeline> {
  return Pipeline.start(["east"], {
    memoryShards: true,
    settings: { throttle: { deleteGrace } },
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      store.create("pods", web("web-0", host, { created: born(5), ip: "10.0.0.5" }));
    },
  });
}

it("a source that goes is emptied at once and keeps its route; back under its name it writes no route", async () => {
  const pipeline = await start("1h");
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const before = pipeline.upstreamOf(host);
  const from = pipeline.mark;
  store.remove("pods", "shop/web-0");
  await pipeline.until("it is empty", () => pipeline.nodesOf(host)?.length === 0);
  expect(await pipeline.statesOf(host)).toEqual(["Leaving"]);
  const kept = { ...(before?.["labels"] as object), "translator/digest": expect.any(String) };
  expect(pipeline.upstreamOf(host)).toMatchObject({
    ...before,
    nodes: [],
    labels: kept,
    update_time: expect.any(Number),
  });

  store.create("pods", web("stranger", host, { created: born(1), namespace: "other" }));
  await pipeline.caughtUp();
  expect(await pipeline.statesOf("east/other/pod/stranger")).toEqual(["Conflict"]);
  store.create("pods", web("web-0", host, { created: born(9), ip: "10.0.0.9" }));
  await pipeline.until("the new address", () => pipeline.nodesOf(host)?.[0] === "10.0.0.9:8080");
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from)).toEqual([
    "PUT upstreams east/shop/web-0/web",
    "PUT upstreams east/shop/web-0/web",
  ]);
  expect(await pipeline.statesOf("east/shop/pod/web-0")).toEqual(["Routed"]);
});

it("a challenger of the same namespace does not wait out the grace", async () => {
  const pipeline = await start("1h");
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const from = pipeline.mark;
  store.create("pods", web("stranger", host, { created: born(1), namespace: "other" }));
  store.create("pods", web("kin", host, { created: born(6) }));
  await pipeline.caughtUp();
  store.remove("pods", "shop/web-0");
  await pipeline.until("kin has it", () => pipeline.holderOf(host) === "east/shop/kin/web");
  await pipeline.restart({ throttle: { deleteGrace: "50ms" } });
  await pipeline.until("the old one is gone", () => pipeline.upstreams().length === 1);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from).toSorted()).toEqual([
    "DELETE routes east/shop/web-0/web",
    "DELETE upstreams east/shop/web-0/web",
    "PUT routes east/shop/kin/web",
    "PUT upstreams east/shop/kin/web",
    "PUT upstreams east/shop/web-0/web",
  ]);
});

it("a grace that ends while its route is being given away takes the upstream too", async () => {
  const pipeline = await start("100ms");
  await pipeline.reconciled();
  const store = pipeline.store("east");
  store.create("pods", web("kin", host, { created: born(6) }));
  await pipeline.caughtUp();
  const from = pipeline.mark;
  pipeline.gateway.admin.faults.add({
    ...{
      fault: { kind: "delay", ms: 500, when: "after" },
      methods: ["DELETE"],
      resource: "routes",
      times: 1,
    },
  });
  store.remove("pods", "shop/web-0");
  await pipeline.until("kin has it", () => pipeline.holderOf(host) === "east/shop/kin/web");
  await pipeline.until("the old one is gone", () => pipeline.upstreams().length === 1);
  await pipeline.caughtUp();
  expect(pipeline.tally(from)["DELETE upstreams"]).toBe(1);
  expect(await pipeline.explain("east/shop/pod/web-0")).toEqual([]);
});

it.each([
  ["deleted", (pipeline: Pipeline) => void pipeline.store("east").remove("pods", "shop/web-0")],
  [
    "no longer labelled",
    (pipeline: Pipeline) =>
      void pipeline
        .store("east")
        .patch("pods", "shop/web-0", (object) =>
          withLabels(object, { "apisix-translator.io/enabled": null }),
        ),
  ],
])(
  "a source that is %s is emptied, deleted after the grace, and only then another namespace has its host",
  async (_, go) => {
    const pipeline = await start("50ms");
    await pipeline.reconciled();
    pipeline.store("east").create("pods", web("stranger", host, { created: born(1), namespace: "other" }));
    await pipeline.caughtUp();
    const from = pipeline.mark;
    go(pipeline);
    await pipeline.until("the stranger has it", () => pipeline.holderOf(host) === "east/other/stranger/web");
    await pipeline.until("the old one is gone", () => pipeline.upstreams().length === 1);
    expect(pipeline.namedSince(from).slice(0, 2)).toEqual([
      "PUT upstreams east/shop/web-0/web",
      "DELETE routes east/shop/web-0/web",
    ]);
    expect(pipeline.namedSince(from).toSorted()).toEqual([
      "DELETE routes east/shop/web-0/web",
      "DELETE upstreams east/shop/web-0/web",
      "PUT routes east/other/stranger/web",
      "PUT upstreams east/other/stranger/web",
      "PUT upstreams east/shop/web-0/web",
    ]);
  },
);

it.each([
  ["[]", "[]"],
  ["another route in its place", JSON.stringify([{ name: "other", port: 1, host: "other.example.com" }])],
])("a declaration that is taken out of the annotation (%s) goes without grace", async (_, routes) => {
  const pipeline = await start("1h");
  await pipeline.reconciled();
  const from = pipeline.mark;
  pipeline.store("east").patch("pods", "shop/web-0", (object) => withRoutes(object, routes));
  await pipeline.until("it is gone", () => pipeline.routeOf(host) === undefined);
  await pipeline.caughtUp();
  const own = pipeline.namedSince(from).filter((write) => write.endsWith("/web"));
  expect(own).toEqual(["DELETE routes east/shop/web-0/web", "DELETE upstreams east/shop/web-0/web"]);
  expect(pipeline.upstreams()).toHaveLength(routes === "[]" ? 0 : 1);
});

it("what was leaving when the translator ended leaves under the next one, without being emptied twice", async () => {
  const pipeline = await start("1h");
  await pipeline.reconciled();
  const from = pipeline.mark;
  pipeline.store("east").remove("pods", "shop/web-0");
  await pipeline.until("it is empty", () => pipeline.nodesOf(host)?.length === 0);
  await pipeline.restart({ throttle: { deleteGrace: "50ms" } });
  await pipeline.until("it is gone", () => pipeline.upstreams().length === 0);
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "DELETE routes", "DELETE upstreams"]);
});
