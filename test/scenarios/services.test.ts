import { describe, expect, it } from "vitest";
import { ofService, withEndpoints } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { host, ips, shop, sizesSince, slice, target, webWith } from "./services.ts";

describe("what means nothing", () => {
  it("F1 annotations, managed fields and resourceVersion of slice and Service: nothing leaves the filter", async () => {
    const pipeline = await webWith([slice("web-0", ["10.0.0.1"])]);
    const { metrics } = pipeline.controller;
    const kept = (): unknown => {
      const { services, endpointslices } = metrics.totals().events;
      return [services?.kept, endpointslices?.kept];
    };
    expect(kept()).toEqual([1, 1]);
    for (let time = 0; time < 5; time++) {
      pipeline.store("east").bumpNoise("endpointslices", "shop/web-0");
      pipeline.store("east").bumpNoise("services", "shop/web");
    }
    await pipeline.caughtUp();
    expect(kept()).toEqual([1, 1]);
    const { generation = 0, identical = 0, unchanged = 0 } = metrics.totals().events.endpointslices ?? {};
    expect(generation + identical + unchanged).toBe(5);
  });

  it("F2 conditions that are nil become explicit: nothing; ready turns false at the same address: one upstream write", async () => {
    const pipeline = await webWith([slice("web-0", ["10.0.0.1", "10.0.0.2"])]);
    const from = pipeline.mark;
    const said = { ready: true, serving: true, terminating: false };
    const patch = (ready: boolean): void =>
      void pipeline.store("east").patch("endpointslices", "shop/web-0", (object) =>
        withEndpoints(object, [
          { ip: "10.0.0.1", ...said },
          { ip: "10.0.0.2", ...said, ready },
        ]),
      );
    patch(true);
    await pipeline.caughtUp();
    expect(pipeline.writesSince(from)).toEqual([]);
    patch(false);
    await pipeline.until("one node", () => pipeline.nodesOf(host)?.length === 1);
    await pipeline.caughtUp();
    expect(pipeline.writesSince(from)).toEqual(["PUT upstreams"]);
  });

  it("F3 endpoints and ports in another order: no write", async () => {
    const ports = [
      { name: "http", port: 8080 },
      { name: "admin", port: 9 },
    ];
    const pipeline = await webWith([slice("web-0", ips("10.0.0", 5), { ports })]);
    const from = pipeline.mark;
    pipeline
      .store("east")
      .patch("endpointslices", "shop/web-0", () =>
        slice("web-0", ips("10.0.0", 5).toReversed(), { ports: ports.toReversed() }),
      );
    await pipeline.caughtUp();
    expect(pipeline.writesSince(from)).toEqual([]);
  });
});

it("F4 a slice's service-name label goes from A to B: A loses, B gains, whatever shard they are in", async () => {
  const pipeline = await webWith([slice("web-0", ["10.0.0.1"]), slice("web-1", ["10.0.0.2"])], {
    ...{ memoryShards: false, settings: { shards: { count: 2 } }, routes: 4 },
    before: ({ fleet }) => {
      for (const name of ["a", "b", "c"]) fleet.cluster("east").store.create("services", shop(name));
    },
  });
  let before = "web";
  for (const name of ["a", "b", "c", "web"]) {
    const from = pipeline.mark;
    pipeline.store("east").patch("endpointslices", "shop/web-1", (object) => ofService(object, name));
    await pipeline.until(
      `${before} to lose it, ${name} to gain it`,
      () =>
        pipeline.nodesOf(`${name}.example.com`)?.includes("10.0.0.2:8080") === true &&
        pipeline.nodesOf(`${before}.example.com`)?.includes("10.0.0.2:8080") === false,
    );
    await pipeline.caughtUp();
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 2 });
    before = name;
  }
});

it("F6 a slice deleted and made again while nobody watched, generation 1 → 1, other uid: processed", async () => {
  const pipeline = await webWith([slice("web-0", ["10.0.0.1"])]);
  const { server, store } = pipeline.cluster("east");
  await server.stop();
  store.remove("endpointslices", "shop/web-0");
  store.create("endpointslices", slice("web-0", ["10.0.0.7"]));
  await server.start();
  await pipeline.until("the new endpoint", () => pipeline.nodesOf(host)?.join() === "10.0.0.7:8080");
});

it("A9 a rollout of 1,000 Pods behind one Service: upstream writes are coalesced, no route is written", async () => {
  const slicesOf = (prefix: number): string[][] =>
    Array.from({ length: 10 }, (_, index) => ips(`10.${prefix}.${index}`, 100));
  const pipeline = await webWith(slicesOf(0).map((each, index) => slice(`web-${index}`, each)));
  expect(pipeline.nodesOf(host)).toHaveLength(1000);
  const from = pipeline.mark;
  const mend = pipeline.gateway.admin.faults.add({
    fault: { kind: "delay", ms: 40, when: "before" },
    methods: ["PUT"],
  });
  const young = slicesOf(1);
  for (const [index, old] of slicesOf(0).entries()) {
    for (let done = 10; done <= 100; done += 10) {
      const mixed = [...young[index]!.slice(0, done), ...old.slice(done)].map((ip) => ({ ip }));
      pipeline
        .store("east")
        .patch("endpointslices", `shop/web-${index}`, (object) => withEndpoints(object, mixed));
    }
  }
  await pipeline.until("the new ones", () => {
    const nodes = pipeline.nodesOf(host) ?? [];
    return nodes.length === 1000 && nodes.every((node) => node.startsWith("10.1."));
  });
  mend();
  await pipeline.caughtUp();
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);
  expect(pipeline.writesSince(from).length).toBeLessThan(60);
  expect(Math.min(...sizesSince(pipeline, from))).toBeGreaterThanOrEqual(1000);
});

it("M11 a Service's annotation becomes Invalid, then its Pods move: nodes follow, also after a restart", async () => {
  const pipeline = await webWith([slice("web-0", ["10.0.0.1"])]);
  const store = pipeline.store("east");
  const from = pipeline.mark;
  const move = (...some: string[]): void =>
    void store.patch("endpointslices", "shop/web-0", (object) =>
      withEndpoints(
        object,
        some.map((ip) => ({ ip })),
      ),
    );
  store.patch("services", "shop/web", (object) =>
    withRoutes(object, [{ name: "web", port: 81, host, retries: "many" }]),
  );
  await pipeline.until("Invalid", async () => (await pipeline.statesOf(target))[0] === "Invalid");
  move("10.0.0.2");
  await pipeline.until("followed", () => pipeline.nodesOf(host)?.join() === "10.0.0.2:8080");
  store.patch("services", "shop/web", (object) => withRoutes(object, "no JSON"));
  await pipeline.restart();
  await pipeline.reconciled();
  move("10.0.0.2", "10.0.0.3");
  await pipeline.until("followed again", () => pipeline.nodesOf(host)?.length === 2);
  await pipeline.caughtUp();
  expect(pipeline.tally(from)["PUT routes"]).toBeUndefined();
  expect(pipeline.upstreamOf(host)).toMatchObject({
    retries: 1,
    labels: {
      "translator/select": "80,endpoint,ready",
      "translator/kind": "service",
      "translator/name": "web",
    },
  });
});

describe("W8", () => {
  it.each(["services", "endpointslices"] as const)(
    "%s listed, the others not yet, at a start and at a worker's reseed: no upstream loses a node",
    async (first) => {
      const pipeline = await webWith([slice("web-0", ["10.0.0.1", "10.0.0.2"])], { speed: 20 });
      const from = pipeline.mark;
      await pipeline.stopController();
      const late = first === "services" ? "endpointslices" : "services";
      const mend = pipeline.cluster("east").server.faults.onRequest({ resource: late }, { type: "hang" });
      await pipeline.restart();
      await pipeline.until("one of them", async () => {
        const { clusters } = await pipeline.controller.observation.status();
        return clusters[0]?.kinds[first]?.state === "synced";
      });
      await pipeline.caughtUp();
      expect(await pipeline.statesOf(host)).toEqual(["Frozen"]);
      pipeline.memoryLinks?.kill(0);
      await pipeline.until("the reseed", () => pipeline.controller.shards.stats().restarts.exit === 1);
      await pipeline.caughtUp();
      expect(pipeline.writesSince(from)).toEqual([]);
      mend();
      pipeline
        .cluster("east")
        .server.traffic.openWatches()
        .forEach((watch) => watch.cut());
      await pipeline.until("Routed", async () => (await pipeline.statesOf(host))[0] === "Routed");
      expect(pipeline.writesSince(from)).toEqual([]);
    },
  );
});
