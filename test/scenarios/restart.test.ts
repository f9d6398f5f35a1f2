import { expect, it } from "vitest";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, many, web } from "./pods.ts";

it("a restart in the middle of a burst: the next one writes what is missing, and nothing twice", async () => {
  let mend = (): void => {};
  const pipeline = await Pipeline.start(["east", "west"], {
    settings: { throttle: { concurrency: 4 } },
    before: ({ fleet, gateway }) => {
      for (const { name, store } of fleet.clusters)
        for (const each of many(name, 40)) store.create("pods", each);
      mend = gateway.admin.faults.add({ fault: { kind: "delay", ms: 10, when: "before" }, methods: ["PUT"] });
    },
  });
  for (const routes of [10, 30]) {
    await pipeline.until(`${routes} routes`, () => pipeline.routes().length >= routes);
    await pipeline.restart();
  }
  mend();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.routes()).toHaveLength(80);
  expect(pipeline.tally(0)).toEqual({ "PUT upstreams": 80, "PUT routes": 80 });
});

it("a crash in the middle of a swap is finished by the next translator, with no pair held twice on the way", async () => {
  const pipeline = await Pipeline.start(["east"], {
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      store.create("pods", web("a", "a.example.com", { created: born(1) }));
      store.create("pods", web("b", "b.example.com", { created: born(2) }));
    },
  });
  await pipeline.reconciled();
  const store = pipeline.store("east");
  const { faults } = pipeline.gateway.admin;
  const from = pipeline.mark;
  const end = faults.add({ fault: { kind: "delay", ms: 60_000, when: "before" }, methods: ["PUT"] });
  store.update("pods", web("a", "b.example.com"));
  store.update("pods", web("b", "a.example.com"));
  await pipeline.until("the cut", () => pipeline.mark > from);
  end();
  await pipeline.crash();
  await pipeline.restart();
  await pipeline.until("the swap", () => pipeline.holderOf("a.example.com") === "east/shop/b/web");
  await pipeline.caughtUp();
  expect(pipeline.holderOf("b.example.com")).toBe("east/shop/a/web");
});

it("a restart while a cluster is down: nothing of it deleted; back: exactly the right deletes and its new nodes", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters) {
        for (const each of many(name, 3)) store.create("pods", each);
        for (const index of [0, 1])
          store.create(
            "pods",
            web(`g-${index}`, `g.${name}.example.com`, { owner: "g", ip: `10.9.0.${index}` }),
          );
      }
    },
  });
  await pipeline.reconciled();
  await pipeline.stopController();
  const { server, store } = pipeline.cluster("west");
  await server.stop();
  store.remove("pods", "shop/west-0");
  store.remove("pods", "shop/g-0");
  store.patch("pods", "shop/west-1", (object) => withReady(object, false));
  pipeline.store("east").remove("pods", "shop/east-0");
  const from = pipeline.mark;
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.until("east-0 is deleted", () => pipeline.upstreams().length === 7);
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp(["east"]);
  expect(pipeline.namedSince(from).every((write) => write.endsWith("east/shop/east-0/web"))).toBe(true);
  const back = pipeline.mark;
  await server.start();
  await pipeline.until("west-0 is deleted", () => pipeline.upstreams().length === 6);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(back).toSorted()).toEqual([
    "DELETE routes west/shop/west-0/web",
    "DELETE upstreams west/shop/west-0/web",
    "PUT upstreams west/shop/web",
    "PUT upstreams west/shop/west-0/web",
    "PUT upstreams west/shop/west-1/web",
  ]);
});

it("a cluster that left the configuration keeps its objects and pairs", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters)
        for (const each of many(name, 2)) store.create("pods", each);
    },
  });
  await pipeline.reconciled();
  const from = pipeline.mark;
  await pipeline.restart({ without: ["west"] });
  await pipeline.reconciled();
  pipeline.store("east").create("pods", web("thief", "west-0.example.com", { created: born(0) }));
  await pipeline.caughtUp(["east"]);
  expect(await pipeline.statesOf("east/shop/pod/thief")).toEqual(["Conflict"]);
  const [thief] = await pipeline.explain("east/shop/pod/thief");
  expect(thief?.reason).toContain("purge --cluster west deletes what stands of it");
  expect(pipeline.writesSince(from)).toEqual([]);
});
