import { expect, it } from "vitest";
import { shardOptionsOf } from "../../src/shard-seeds.ts";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

const hosts = [
  { namespaces: ["shop"], hosts: ["**.shop.example.com"] },
  { clusters: ["east"], hosts: ["free.example.com"] },
];

it("a host that policy.hosts does not allow is Forbidden and stands nowhere; the same host where it is allowed is routed", async () => {
  const claim = (namespace: string, name: string, host: string) =>
    pod({ namespace, name, routes: [entry(host)] });
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    settings: { policy: { hosts } },
    before: ({ fleet }) => {
      const [east, west] = [fleet.cluster("east").store, fleet.cluster("west").store];
      east.create("pods", claim("shop", "a", "a.shop.example.com"));
      east.create("pods", claim("team", "thief", "b.shop.example.com"));
      east.create("pods", claim("shop", "wide", "*.example.com"));
      east.create("pods", claim("shop", "deep", "*.shop.example.com"));
      east.create("pods", claim("team", "free", "free.example.com"));
      west.create("pods", claim("team", "free", "free.example.com"));
    },
  });
  await pipeline.reconciled(3);
  expect(pipeline.pairs()).toEqual(["*.shop.example.com /*", "a.shop.example.com /*", "free.example.com /*"]);
  expect(await pipeline.explain("east/team/pod/thief")).toMatchObject([
    {
      state: "Forbidden",
      reason:
        'host is "b.shop.example.com": policy.hosts does not allow it to namespace team of cluster east; allowed is free.example.com',
    },
  ]);
  expect(await pipeline.statesOf("east/shop/pod/wide")).toEqual(["Forbidden"]);
  expect(await pipeline.statesOf("west/team/pod/free")).toEqual(["Forbidden"]);
  expect((await pipeline.controller.observation.status()).routes).toMatchObject({ Forbidden: 3, Routed: 3 });
});

it("a member that asks for a forbidden host neither sets its group's spec nor gives nodes", async () => {
  const replica = (index: number, host: string) =>
    web(`p-${index}`, host, { owner: "set", ip: `10.0.0.${index}`, created: born(index) });
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { policy: { hosts } },
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      store.create("pods", replica(1, "evil.example.com"));
      store.create("pods", replica(2, "a.shop.example.com"));
      store.create("pods", replica(3, "a.shop.example.com"));
    },
  });
  await pipeline.reconciled(1);
  expect(pipeline.pairs()).toEqual(["a.shop.example.com /*"]);
  expect(pipeline.nodesOf("a.shop.example.com")).toEqual(["10.0.0.2:8080", "10.0.0.3:8080"]);
  const states = (await pipeline.explain("a.shop.example.com")).map(({ name, state }) => `${name} ${state}`);
  expect(states.toSorted()).toEqual(["p-1 Forbidden", "p-2 Routed", "p-3 Routed"]);
  pipeline
    .store("east")
    .patch("pods", "shop/p-1", (object) => withRoutes(object, [entry("a.shop.example.com")]));
  await pipeline.until("its node", () => pipeline.nodesOf("a.shop.example.com")?.length === 3);
});

it("policy.hosts that changes while running takes away without grace what it forbids, through the guard, and gives it back", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { throttle: { deleteGrace: "1h" }, guard: { maxDeletes: 1, maxDeleteRatio: 0 } },
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      store.create("pods", web("a", "a.shop.example.com"));
      for (const name of ["b", "c"]) store.create("pods", web(name, `${name}.example.com`));
    },
  });
  await pipeline.reconciled(3);
  const from = pipeline.mark;
  const { config, shards, writer } = pipeline.controller;
  const under = (rules: readonly { readonly hosts: readonly string[] }[]) =>
    shardOptionsOf({
      ...config,
      policy: {
        ...config.policy,
        hosts: rules.map((rule) => ({ clusters: undefined, namespaces: undefined, ...rule })),
      },
    });
  shards.configure(under([{ hosts: ["**.shop.example.com"] }]));
  await pipeline.until("one is gone, one is held", () => pipeline.routes().length === 2);
  await pipeline.until("the held one", () => writer.guard.status().held === 1);
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual(["DELETE routes", "DELETE upstreams"]);
  expect((await pipeline.controller.observation.status()).routes).toMatchObject({ Forbidden: 2, Routed: 1 });
  shards.configure(under([]));
  await pipeline.until("all are back", () => pipeline.routes().length === 3);
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({
    ...{ "DELETE routes": 1, "DELETE upstreams": 1, "PUT routes": 1, "PUT upstreams": 1 },
  });
});
