import { expect, it } from "vitest";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { withEndpoints } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { node } from "../../src/sim/kubernetes/node.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born } from "./pods.ts";
import { host, shop, slice } from "./services.ts";

const shared = { share: "fleet" };
const part = { east: "10.0.1", west: "10.0.2" } as const;
type Name = keyof typeof part;
const nodePorts = [{ name: "http", port: 80, nodePort: 30080 }];

/** The Service `web` of both clusters; East's is the older, with `retries: 5`. */
async function start(): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => {
      const of = (name: Name, order: number, fields: object): void => {
        const { store } = fleet.cluster(name);
        const options = { created: born(order), type: "NodePort", ports: nodePorts } as const;
        store.create("services", shop("web", options, { ...shared, ...fields }));
        store.create("endpointslices", slice("web-1", [`${part[name]}.1`]));
      };
      of("east", 1, { retries: 5 });
      of("west", 2, {});
    },
  });
  await pipeline.reconciled(1);
  await pipeline.until("both parts", () => pipeline.nodesOf(host)?.length === 2);
  await pipeline.caughtUp();
  return pipeline;
}

const hosts = (pipeline: Pipeline): string[] =>
  (pipeline.nodesOf(host) ?? []).map((node) => node.split(":")[0] ?? "");

function endpoints(pipeline: Pipeline, cluster: Name, ...numbers: number[]): void {
  const all = numbers.map((number) => ({ ip: `${part[cluster]}.${number}` }));
  pipeline.store(cluster).patch("endpointslices", "shop/web-1", (object) => withEndpoints(object, all));
}

/** A new leader that cannot see one of the clusters. */
async function restartWithout(pipeline: Pipeline, down: Name): Promise<void> {
  await pipeline.stopController();
  await pipeline.cluster(down).server.stop();
  await pipeline.restart();
  await pipeline.reconciled();
}

it("M6 M8 Services of one name are one upstream; a new leader that cannot see the older keeps its part and its settings, back it is followed", async () => {
  const pipeline = await start();
  expect(hosts(pipeline)).toEqual(["10.0.1.1", "10.0.2.1"]);
  const { nodes, retries, labels } = pipeline.upstreamOf(host) as {
    readonly nodes: { readonly metadata: object }[];
    readonly retries: number;
    readonly labels: object;
  };
  expect(nodes.map(({ metadata }) => metadata)).toEqual([{ cluster: "east" }, { cluster: "west" }]);
  expect(retries).toBe(5);
  expect(labels).toMatchObject({ "translator/name": "web", "translator/share": "fleet" });
  expect(labels).not.toHaveProperty("translator/cluster");
  expect(await pipeline.statesOf("west/shop/service/web")).toEqual(["SpecMismatch"]);
  const from = pipeline.mark;
  await restartWithout(pipeline, "east");
  await pipeline.caughtUp(["west"]);
  expect(pipeline.writesSince(from)).toEqual([]);
  endpoints(pipeline, "west", 2, 3);
  await pipeline.until("west is followed", () => hosts(pipeline).join() === "10.0.1.1,10.0.2.2,10.0.2.3");
  expect(pipeline.upstreamOf(host)?.["retries"]).toBe(5);

  endpoints(pipeline, "east", 4);
  await pipeline.cluster("east").server.start();
  await pipeline.until("it is followed", () => hosts(pipeline).join() === "10.0.1.4,10.0.2.2,10.0.2.3");
  await pipeline.caughtUp();
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);
});

it("M11 both Services become Invalid, their Pods move: nodes follow, also after a restart, also with a cluster down", async () => {
  const pipeline = await start();
  for (const cluster of ["east", "west"] as const)
    pipeline.store(cluster).patch("services", "shop/web", (object) => {
      return withRoutes(object, [{ name: "web", port: 80, host, ...shared, retries: "many" }]);
    });
  await pipeline.caughtUp();
  const from = pipeline.mark;
  endpoints(pipeline, "west", 2);
  await pipeline.until("nodes follow", () => hosts(pipeline).join() === "10.0.1.1,10.0.2.2");
  await restartWithout(pipeline, "east");
  endpoints(pipeline, "west", 3, 4);
  await pipeline.until("they follow again", () => hosts(pipeline).join() === "10.0.1.1,10.0.2.3,10.0.2.4");
  expect(pipeline.upstreamOf(host)?.["retries"]).toBe(5);
  expect(Object.keys(pipeline.tally(from))).toEqual(["PUT upstreams"]);
});

it.each([
  ["has no name", { port: 80, host, ...shared }],
  ["is Invalid", { name: "web", port: 80, host, ...shared, retries: "many" }],
])(
  "a member whose entry %s goes by Nodes once who sets the spec does, as a new leader has it; not before its Nodes are seen",
  async (_, entry) => {
    const pipeline = await start();
    const { server, store: west } = pipeline.cluster("west");
    server.access.forbidden.add("nodes");
    west.create("nodes", node({ name: "w", internalIPs: ["192.168.2.1"] }));
    pipeline.store("east").create("nodes", node({ name: "e", internalIPs: ["192.168.1.1"] }));
    west.patch("services", "shop/web", (object) => withRoutes(object, [entry]));
    await pipeline.caughtUp();
    pipeline.store("east").patch("services", "shop/web", (object) => {
      return withRoutes(object, [{ name: "web", port: 80, host, ...shared, retries: 5, via: "nodePort" }]);
    });
    await pipeline.until("West's Nodes are asked for", async () => {
      const found = (await pipeline.controller.observation.status()).clusters[1]?.kinds.nodes;
      return found?.state === "degraded";
    });
    await pipeline.caughtUp();
    expect(pipeline.nodesOf(host)).toContain("10.0.2.1:8080");
    server.access.forbidden.clear();
    const both = "192.168.1.1:30080,192.168.2.1:30080";
    await pipeline.until("the Nodes of both", () => pipeline.nodesOf(host)?.join() === both);
    const from = pipeline.mark;
    await pipeline.stopController();
    await pipeline.restart();
    await pipeline.reconciled();
    await pipeline.caughtUp();
    expect(pipeline.writesSince(from)).toEqual([]);
  },
);

it("Nodes that a new leader has begun to list are waited for, though all else of their cluster is listed: a taken route's upstream keeps its settings", async () => {
  const pipeline = await start();
  const { server, store: east } = pipeline.cluster("east");
  east.create("nodes", node({ name: "e", internalIPs: ["192.168.1.1"] }));
  east.patch("services", "shop/web", (object) => {
    return withRoutes(object, [{ name: "web", port: 80, host, ...shared, via: "nodePort" }]);
  });
  const both = "10.0.2.1:8080,192.168.1.1:30080";
  await pipeline.until("the Node", () => pipeline.nodesOf(host)?.join() === both);
  await pipeline.caughtUp();
  await pipeline.stopController();
  const { id, create_time: _, update_time: __, ...route } = pipeline.routeOf(host) ?? {};
  pipeline.asStranger("PUT", `routes/${String(id)}`, { ...route, labels: { owner: "a-human" } });
  const from = pipeline.mark;
  // The Nodes are asked for while the list of Pods is under way, and come long after it.
  server.faults.onRequest({ resource: "pods" }, { type: "slow", ms: 300 });
  server.faults.onRequest({ resource: "nodes" }, { type: "slow", ms: 1000 });
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
  expect(pipeline.nodesOf(host)?.join()).toBe(both);
});
