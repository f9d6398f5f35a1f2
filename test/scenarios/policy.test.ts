import { expect, it } from "vitest";
import type { PolicyConfig } from "../../src/config.ts";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

const hosts = [
  { namespaces: ["shop"], hosts: ["**.shop.example.com"] },
  { clusters: ["east"], hosts: ["free.example.com"] },
];

/** As the watched file does. */
function policed({ controller }: Pipeline, changed: Partial<PolicyConfig>): void {
  const { clusters, policy } = controller.config;
  controller.configure({ clusters, policy: { ...policy, ...changed } });
}

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
  const { writer } = pipeline.controller;
  const under = (rules: readonly { readonly hosts: readonly string[] }[]): void =>
    policed(pipeline, {
      hosts: rules.map((rule) => ({ clusters: undefined, namespaces: undefined, ...rule })),
    });
  under([{ hosts: ["**.shop.example.com"] }]);
  await pipeline.until("one is gone, one is held", () => pipeline.routes().length === 2);
  await pipeline.until("the held one", () => writer.guard.status().held === 1);
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual(["DELETE routes", "DELETE upstreams"]);
  expect((await pipeline.controller.observation.status()).routes).toMatchObject({ Forbidden: 2, Routed: 1 });
  under([]);
  await pipeline.until("all are back", () => pipeline.routes().length === 3);
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({
    ...{ "DELETE routes": 1, "DELETE upstreams": 1, "PUT routes": 1, "PUT upstreams": 1 },
  });
});

const limitedTo = (maxRoutesPerNamespace: number): object => ({ policy: { maxRoutesPerNamespace } });

it("of more routes than a namespace may have the youngest are Forbidden, in explain, status and Events, and a restart writes nothing", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    settings: limitedTo(2),
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      store.create("namespaces", { metadata: { name: "shop" } });
      for (const [name, age] of Object.entries({ c: 3, a: 1, d: 4, b: 2 }))
        store.create("pods", web(name, `${name}.example.com`, { created: born(age) }));
      store.create("pods", pod({ namespace: "team", name: "t", routes: [entry("t.example.com")] }));
      fleet.cluster("west").store.create("pods", web("w", "w.example.com", { created: born(9) }));
    },
  });
  await pipeline.reconciled(4);
  const routed = ["a.example.com /*", "b.example.com /*", "t.example.com /*", "w.example.com /*"];
  expect(pipeline.pairs()).toEqual(routed);
  expect(await pipeline.explain("east/shop/pod/c")).toMatchObject([
    {
      ...{ state: "Forbidden", nodes: 0 },
      reason:
        "namespace shop of cluster east has more routes than policy.maxRoutesPerNamespace, 2, allows, and this is one of the youngest",
    },
  ]);
  expect((await pipeline.controller.observation.status()).routes).toMatchObject({ Forbidden: 2, Routed: 4 });
  const events = pipeline.store("east");
  await pipeline.until("their Events", () => events.values("events").length === 2);
  for (const event of events.values("events")) expect(event).toMatchObject({ reason: "Forbidden" });

  const from = pipeline.mark;
  for (const settings of [{ shards: { count: 3 }, ...limitedTo(2) }, limitedTo(2)]) {
    await pipeline.restart(settings);
    await pipeline.reconciled(4);
    await pipeline.caughtUp();
    expect(await pipeline.statesOf("east/shop/pod/d")).toEqual(["Forbidden"]);
  }
  expect(pipeline.writesSince(from)).toEqual([]);
});

it("a place that becomes free goes to the oldest that waits; what stands gives its place to nobody", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: limitedTo(2),
    before: ({ fleet }) => {
      for (const [name, age] of Object.entries({ b: 2, c: 3 }))
        fleet.cluster("east").store.create("pods", web(name, `${name}.example.com`, { created: born(age) }));
    },
  });
  await pipeline.reconciled(2);
  const store = pipeline.store("east");
  const from = pipeline.mark;
  for (const [name, age] of Object.entries({ d: 4, a: 1 }))
    store.create("pods", web(name, `${name}.example.com`, { created: born(age) }));
  await pipeline.until("a", async () => (await pipeline.statesOf("east/shop/pod/a"))[0] === "Forbidden");
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);
  store.remove("pods", "shop/b");
  await pipeline.until("the oldest", () => pipeline.pairs().join() === "a.example.com /*,c.example.com /*");
  store.patch("pods", "shop/c", (object) => withRoutes(object, []));
  await pipeline.until("the next", () => pipeline.pairs().join() === "a.example.com /*,d.example.com /*");
  expect(pipeline.nodesOf("d.example.com")).toHaveLength(1);
});

it("a limit that is lowered while running takes away the youngest without grace, through the guard; raised, they are back", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { throttle: { deleteGrace: "1h" }, guard: { maxDeletes: 2, maxDeleteRatio: 0 } },
    before: ({ fleet }) => {
      for (let age = 0; age < 5; age++)
        fleet
          .cluster("east")
          .store.create("pods", web(`p-${age}`, `${age}.example.com`, { created: born(age) }));
    },
  });
  await pipeline.reconciled(5);
  const { writer, observation } = pipeline.controller;
  const from = pipeline.mark;
  policed(pipeline, { maxRoutesPerNamespace: 2 });
  await pipeline.until("two are gone", () => pipeline.routes().length === 3);
  await pipeline.idle();
  expect(writer.guard.status().held).toBe(1);
  expect(pipeline.tally(from)).toEqual({ "DELETE routes": 2, "DELETE upstreams": 2 });
  expect((await observation.status()).routes).toMatchObject({ Forbidden: 3, Routed: 2 });
  policed(pipeline, { maxRoutesPerNamespace: 3 });
  await pipeline.until("none is held", () => writer.guard.status().held === 0);
  policed(pipeline, { maxRoutesPerNamespace: 0 });
  await pipeline.until("all are back", () => pipeline.routes().length === 5);
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({
    ...{ "DELETE routes": 2, "DELETE upstreams": 2, "PUT routes": 2, "PUT upstreams": 2 },
  });
  expect((await observation.status()).routes).toMatchObject({ Forbidden: 0, Routed: 5 });
});

it("somebody who makes by hand what the limit forbids does not get it", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (let age = 0; age < 2; age++)
        fleet
          .cluster("east")
          .store.create("pods", web(`p-${age}`, `${age}.example.com`, { created: born(age) }));
    },
  });
  await pipeline.reconciled(2);
  const id = String(pipeline.routeOf("1.example.com")?.["id"]);
  const stood = ["upstreams", "routes"].map((collection) => {
    const {
      id: _id,
      create_time: _c,
      update_time: _u,
      ...body
    } = pipeline.gateway.admin.store.get(collection, id)?.value ?? {};
    return { collection, body };
  });
  policed(pipeline, { maxRoutesPerNamespace: 1 });
  await pipeline.until("it is gone", () => pipeline.upstreams().length === 1);
  // The audit passes over an id whose last answer is still on its way.
  await pipeline.idle();
  for (const { collection, body } of stood) pipeline.asStranger("PUT", `${collection}/${id}`, body);
  await pipeline.controller.observation.audit();
  await pipeline.until("it is gone again", () => pipeline.upstreams().length === 1);
  expect(await pipeline.statesOf("east/shop/pod/p-1")).toEqual(["Forbidden"]);
});

it("a group across clusters takes up a place in the cluster of its oldest member, and is Forbidden as a whole", async () => {
  const shared = (name: string, order: number) =>
    web(name, "", { created: born(order), routes: [entry("f.example.com", { share: "fleet" })] });
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    settings: limitedTo(1),
    before: ({ fleet }) => {
      const [east, west] = [fleet.cluster("east").store, fleet.cluster("west").store];
      east.create("pods", web("a", "a.example.com", { created: born(0) }));
      east.create("pods", shared("f-east", 1));
      west.create("pods", shared("f-west", 2));
      west.create("pods", web("b", "b.example.com", { created: born(3) }));
    },
  });
  await pipeline.reconciled(2);
  expect(pipeline.pairs()).toEqual(["a.example.com /*", "b.example.com /*"]);
  const states = (await pipeline.explain("f.example.com")).map(({ name, state }) => `${name} ${state}`);
  expect(states.toSorted()).toEqual(["f-east Forbidden", "f-west Forbidden"]);
  pipeline.store("east").remove("pods", "shop/a");
  await pipeline.until("the group", () => pipeline.nodesOf("f.example.com")?.length === 2);
  await pipeline.caughtUp();
  const from = pipeline.mark;
  await pipeline.restart(limitedTo(1));
  await pipeline.reconciled(2);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
});
