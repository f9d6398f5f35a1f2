import { expect, it } from "vitest";
import { node } from "../../src/sim/kubernetes/node.ts";
import { withEndpoints } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { withLabels } from "../../src/sim/kubernetes/object-changes.ts";
import type { PipelineOptions } from "../pipeline/pipeline.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { host, shop, slice, webWith } from "./services.ts";

const ports = [{ name: "http", port: 80, nodePort: 30080 }];
const outside = shop("web", { type: "NodePort", ports }, { via: "nodePort" });
const local = shop("web", { type: "NodePort", ports, externalTrafficPolicy: "Local" }, { via: "nodePort" });
const excluded = "node.kubernetes.io/exclude-from-external-load-balancers";

const nodes = (...numbers: number[]): ReturnType<typeof node>[] =>
  numbers.map((index) =>
    node({ name: `n${index}`, internalIPs: [`192.168.0.${index}`], externalIPs: [`54.0.0.${index}`] }),
  );

/** The Service `web` under `via: nodePort`, one slice and these Nodes. */
function start(service = outside, some = nodes(1, 2, 3), options: PipelineOptions = {}): Promise<Pipeline> {
  const endpoints = some.slice(0, 2).map(({ metadata }, index) => ({
    ...{ ip: `10.0.0.${index}`, nodeName: metadata.name, ready: index === 0 },
  }));
  return webWith([slice("web-0", endpoints)], {
    ...{ service, ...options },
    before: ({ fleet }) => {
      for (const each of some) fleet.cluster("east").store.create("nodes", each);
    },
  });
}

const watched = async (pipeline: Pipeline): Promise<string[]> =>
  Object.keys((await pipeline.controller.observation.status()).clusters[0]?.kinds ?? {});

it("F5 a heartbeat of a Node and its addresses in another order: nothing; another InternalIP: only nodePort upstreams", async () => {
  const pipeline = await start();
  const store = pipeline.store("east");
  store.create("services", shop("plain"));
  store.create("endpointslices", slice("plain-0", ["10.0.0.9"], { service: "plain" }));
  await pipeline.until("plain", () => pipeline.nodesOf("plain.example.com")?.length === 1);
  expect(pipeline.nodesOf(host)).toEqual(["192.168.0.1:30080", "192.168.0.2:30080", "192.168.0.3:30080"]);
  const from = pipeline.mark;
  const kept = (): number => pipeline.controller.metrics.totals().events.nodes?.kept ?? 0;
  const before = kept();
  expect(before).toBe(3);
  store.bumpNoise("nodes", "n1");
  store.patch("nodes", "n2", (object) => {
    const { status } = object as ReturnType<typeof node>;
    return { ...object, status: { ...status, addresses: [...status.addresses].reverse() } };
  });
  await pipeline.caughtUp();
  expect(kept()).toBe(before);
  store.patch("nodes", "n1", () => node({ name: "n1", internalIPs: ["192.168.0.100"] }));
  await pipeline.until(
    "the new address",
    () => pipeline.nodesOf(host)?.includes("192.168.0.100:30080") === true,
  );
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from)).toEqual(["PUT upstreams east/shop/web/web"]);
});

it("an excluded Node takes no traffic; one that is let in again does", async () => {
  const pipeline = await start();
  const set = (value: string | null): void =>
    void pipeline.store("east").patch("nodes", "n2", (object) => withLabels(object, { [excluded]: value }));
  set("");
  await pipeline.until("two", () => pipeline.nodesOf(host)?.join() === "192.168.0.1:30080,192.168.0.3:30080");
  set(null);
  await pipeline.until("three", () => pipeline.nodesOf(host)?.length === 3);
});

it("externalTrafficPolicy Local: only Nodes that ready endpoints name", async () => {
  const pipeline = await start(local);
  expect(pipeline.nodesOf(host)).toEqual(["192.168.0.1:30080"]);
  pipeline.store("east").patch("endpointslices", "shop/web-0", (object) =>
    withEndpoints(object, [
      { ip: "10.0.0.0", nodeName: "n1", ready: false },
      { ip: "10.0.0.1", nodeName: "n2" },
      { ip: "10.0.0.2", nodeName: "n3" },
    ]),
  );
  await pipeline.until(
    "others",
    () => pipeline.nodesOf(host)?.join() === "192.168.0.2:30080,192.168.0.3:30080",
  );
});

it("more Nodes than nodePort.maxNodes: one Node more moves at most one entry; addresses as configured", async () => {
  const many = nodes(...Array.from({ length: 20 }, (_, index) => index + 1));
  const settings = { nodePort: { maxNodes: 8, address: "ExternalIP" } };
  const pipeline = await start(outside, many, { settings });
  const before = pipeline.nodesOf(host) ?? [];
  expect(before).toHaveLength(8);
  expect(before.every((each) => /^54\.0\.0\.\d+:30080$/.test(each))).toBe(true);
  const store = pipeline.store("east");
  const moved: number[] = [];
  for (const each of nodes(21, 22, 23, 24)) {
    const was = pipeline.nodesOf(host) ?? [];
    store.create("nodes", each);
    await pipeline.until(
      "it",
      async () =>
        (await pipeline.controller.observation.status()).clusters[0]?.kinds.nodes?.objects ===
        20 + moved.length + 1,
    );
    await pipeline.caughtUp();
    const is = pipeline.nodesOf(host) ?? [];
    expect(is).toHaveLength(8);
    moved.push(is.filter((one) => !was.includes(one)).length);
  }
  expect(Math.max(...moved)).toBeLessThanOrEqual(1);
});

it("Nodes are watched only while a Service needs them, again after a restart of its shard", async () => {
  const pipeline = await start();
  expect(await watched(pipeline)).toContain("nodes");
  pipeline.memoryLinks?.kill(0);
  await pipeline.until("the shard", () => pipeline.controller.shards.stats().restarts.exit === 1);
  await pipeline.caughtUp();
  expect(await watched(pipeline)).toContain("nodes");
  pipeline.store("east").patch("services", "shop/web", () => shop("web", { ports }));
  await pipeline.until("endpoints", () => pipeline.nodesOf(host)?.join() === "10.0.0.0:8080");
  await pipeline.until("no Nodes", async () => !(await watched(pipeline)).includes("nodes"));
  expect(pipeline.controller.store.count("east", "nodes")).toBe(0);
  pipeline.store("east").remove("nodes", "n3");
  pipeline.store("east").patch("services", "shop/web", () => outside);
  await pipeline.until(
    "Nodes",
    () => pipeline.nodesOf(host)?.join() === "192.168.0.1:30080,192.168.0.2:30080",
  );
});

it("a 403 on Nodes harms nodePort Services and nobody else", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      const { store, server } = fleet.cluster("east");
      server.access.forbidden.add("nodes");
      store.create("services", outside);
      store.create("endpointslices", slice("web-0", ["10.0.0.1"]));
      store.create("services", shop("plain"));
      store.create("endpointslices", slice("plain-0", ["10.0.0.9"], { service: "plain" }));
      for (const each of nodes(1)) store.create("nodes", each);
    },
  });
  await pipeline.reconciled();
  await pipeline.until("plain", () => pipeline.nodesOf("plain.example.com")?.length === 1);
  expect(pipeline.routes()).toHaveLength(1);
  const { ready, degraded } = pipeline.controller.observation.ready();
  expect({ ready, degraded }).toEqual({
    ready: true,
    degraded: [expect.stringMatching(/^east\/nodes: .*403/)],
  });
  pipeline.cluster("east").server.access.forbidden.clear();
  await pipeline.until("the nodePort Service", () => pipeline.nodesOf(host)?.join() === "192.168.0.1:30080");

  pipeline.cluster("east").server.access.forbidden.add("nodes");
  for (const watch of pipeline.cluster("east").server.traffic.openWatches("nodes")) watch.cut();
  await pipeline.until(
    "Frozen",
    async () => (await pipeline.statesOf("east/shop/service/web"))[0] === "Frozen",
  );
  expect((await pipeline.explain(host))[0]?.reason).toContain("the Nodes of east are not seen now");
  expect(await pipeline.statesOf("east/shop/service/plain")).toEqual(["Routed"]);
});
