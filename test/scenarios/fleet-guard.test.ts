import { expect, it } from "vitest";
import type { Pipeline as RunningPipeline } from "../pipeline/pipeline.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";
import { shop, slice } from "./services.ts";

const count = 12;
const numbers = Array.from({ length: count }, (_, index) => index);
const hostOf = (number: number): string => `web-${number}.example.com`;
const nodes = (number: number, ...clusters: number[]): string[] =>
  clusters.map((cluster) => `10.0.${cluster}.${number + 1}:8080`);
const clusterNumber = { east: 1, west: 2 } as const;
type Name = keyof typeof clusterNumber;
const names = Object.keys(clusterNumber) as Name[];

/** One of the two members of each fleet group; East's are the older. */
function member(cluster: Name, number: number): ReturnType<typeof web> {
  const routes = [{ ...entry(hostOf(number), { share: "fleet" }), name: `web-${number}` }];
  const order = clusterNumber[cluster];
  return web(`p-${number}`, "", { ip: `10.0.${order}.${number + 1}`, created: born(order), routes });
}

interface Kind {
  readonly kind: "pod" | "service";
  fill(pipeline: RunningPipeline, cluster: Name, number: number): void;
  /** Takes away what is to be found missing. */
  empty(pipeline: RunningPipeline, cluster: Name, number: number): void;
}

const pods: Kind = {
  kind: "pod",
  fill: (pipeline, cluster, number) => {
    pipeline.store(cluster).create("pods", member(cluster, number));
  },
  empty: (pipeline, cluster, number) => {
    pipeline.store(cluster).remove("pods", `shop/p-${number}`);
  },
};

const slices: Pick<Kind, "fill" | "empty"> = {
  fill: (pipeline, cluster, number) => {
    const ip = `10.0.${clusterNumber[cluster]}.${number + 1}`;
    const ports = [{ name: "http", port: 8080 }];
    pipeline
      .store(cluster)
      .create("endpointslices", slice(`s-${number}`, [ip], { service: `s-${number}`, ports }));
  },
  empty: (pipeline, cluster, number) => {
    pipeline.store(cluster).remove("endpointslices", `shop/s-${number}`);
  },
};

const services: Kind = {
  kind: "service",
  fill: (pipeline, cluster, number) => {
    const created = born(clusterNumber[cluster]);
    const fields = { host: hostOf(number), share: "fleet", name: `web-${number}` };
    pipeline.store(cluster).create("services", shop(`s-${number}`, { created }, fields));
    slices.fill(pipeline, cluster, number);
  },
  empty: (pipeline, cluster, number) => {
    pipeline.store(cluster).remove("services", `shop/s-${number}`);
    slices.empty(pipeline, cluster, number);
  },
};

const slicesAlone: Kind = {
  kind: "service",
  fill: (pipeline, cluster, number) => {
    if (pipeline.store(cluster).get("services", `shop/s-${number}`) === undefined)
      services.fill(pipeline, cluster, number);
    else slices.fill(pipeline, cluster, number);
  },
  empty: slices.empty,
};

async function start(kind: Kind, settings: object = {}): Promise<Pipeline> {
  const pipeline = await Pipeline.start(names, {
    ...{ memoryShards: true, settings },
    before: (started) => {
      for (const cluster of names) for (const number of numbers) kind.fill(started, cluster, number);
    },
  });
  await pipeline.reconciled(count);
  await pipeline.until("all nodes", () => numbers.every((number) => has(pipeline, number, 1, 2)));
  await pipeline.caughtUp();
  return pipeline;
}

const has = (pipeline: Pipeline, number: number, ...clusters: number[]): boolean =>
  pipeline.nodesOf(hostOf(number))?.join() === nodes(number, ...clusters).join();

const isHeld = (pipeline: Pipeline, groups: number): Promise<void> =>
  pipeline.until(`${groups} to be held`, () => pipeline.controller.writer.guard.status().held === groups);

/** Everything of some clusters goes unseen. */
async function lose(
  pipeline: Pipeline,
  kind: Kind,
  how: "a relist" | "a restart",
  clusters: readonly Name[],
) {
  const take = (): void => {
    for (const cluster of clusters) for (const number of numbers) kind.empty(pipeline, cluster, number);
  };
  if (how === "a restart") {
    await pipeline.stopController();
    take();
    return pipeline.restart();
  }
  for (const cluster of clusters) await pipeline.cluster(cluster).server.stop();
  take();
  for (const cluster of clusters) {
    pipeline.store(cluster).compact();
    await pipeline.cluster(cluster).server.start();
  }
}

it.each([
  ["Pods", "a relist", pods],
  ["Pods", "a restart", pods],
  ["Services", "a relist", services],
  ["slices", "a relist", slicesAlone],
  ["slices", "a restart", slicesAlone],
] as const)(
  "G1 all %s of one cluster are gone in %s: no fleet group loses a node until that is approved; what returns releases its own",
  async (_, how, kind) => {
    const pipeline = await start(kind);
    const from = pipeline.mark;
    await lose(pipeline, kind, how, ["east"]);
    await isHeld(pipeline, count);
    pipeline.store("east").create("pods", web("new", "new.example.com"));
    await pipeline.until("the new one", () => pipeline.nodesOf("new.example.com")?.length === 1);
    await pipeline.caughtUp();
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 1, "PUT routes": 1 });
    expect(numbers.every((number) => has(pipeline, number, 1, 2))).toBe(true);
    const { batch } = (await pipeline.controller.observation.status()).guard;
    expect(await pipeline.explain(hostOf(3))).toContainEqual(
      expect.objectContaining({
        ...{ cluster: "east", kind: kind.kind, state: "Frozen" },
        reason: expect.stringContaining(`/guard/approve?batch=${batch}`) as string,
      }),
    );
    expect((await pipeline.controller.observation.status()).routes.Frozen).toBe(count);

    kind.fill(pipeline, "east", 0);
    await isHeld(pipeline, count - 1);
    kind.empty(pipeline, "west", 1);
    await pipeline.until("the others are followed", () => has(pipeline, 1, 1));
    await pipeline.caughtUp();
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 2, "PUT routes": 1 });

    kind.fill(pipeline, "west", 1);
    await pipeline.until("it is back", () => has(pipeline, 1, 1, 2));
    expect(pipeline.controller.observation.approve(batch ?? "")).toBe(count - 1);
    await pipeline.until("the part is gone", () =>
      numbers.slice(1).every((number) => has(pipeline, number, 2)),
    );
    await pipeline.caughtUp();
    expect(has(pipeline, 0, 1, 2)).toBe(true);
    expect(pipeline.tally(from)["PUT routes"]).toBe(1);
    expect(pipeline.tally(from)["DELETE routes"]).toBeUndefined();
    expect(pipeline.controller.writer.guard.status().held).toBe(0);
  },
);

it("G1 two clusters that share all groups are empty at the start: all stays until it is approved, then all goes", async () => {
  const pipeline = await start(pods);
  const from = pipeline.mark;
  await lose(pipeline, pods, "a restart", names);
  await isHeld(pipeline, count * 2);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
  const { batch } = (await pipeline.controller.observation.status()).guard;
  pipeline.controller.observation.approve(batch ?? "");
  await pipeline.until("all are gone", () => pipeline.upstreams().length === 0);
  expect(pipeline.tally(from)).toMatchObject({ "DELETE routes": count, "DELETE upstreams": count });
  await pipeline.idle();
  expect(pipeline.controller.writer.guard.status().held).toBe(0);
});

it("a relist that takes a few parts away is let go at once, in upstream writes only", async () => {
  const pipeline = await start(pods);
  const from = pipeline.mark;
  const { server, store } = pipeline.cluster("east");
  await server.stop();
  for (const number of [0, 1, 2]) pods.empty(pipeline, "east", number);
  store.compact();
  await server.start();
  await pipeline.until("they are gone", () => [0, 1, 2].every((number) => has(pipeline, number, 2)));
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 3 });
});

it.each([
  ["policy forbids them", pods, "policy"],
  ["their Pods are gone", pods, "objects"],
  ["their slices are gone", slicesAlone, "objects"],
] as const)(
  "fleet groups that the guard holds, for %s, keep all their nodes when a cluster of theirs goes out of sight; approved, they keep that cluster's",
  async (_, kind, what) => {
    const guard = { maxDeletes: 0, maxDeleteRatio: 0 };
    const pipeline = await start(kind, { guard });
    const from = pipeline.mark;
    const policy = { hosts: what === "policy" ? [{ hosts: ["other.example.com"] }] : [] };
    const { observation, writer } = pipeline.controller;
    await observation.pause();
    pipeline.configure({ guard, policy });
    if (what === "objects")
      for (const cluster of names) for (const number of numbers) kind.empty(pipeline, cluster, number);
    const isAsked = (): boolean =>
      [...writer.records.all()].every((record) => writer.removals.isAsked(record));
    await pipeline.until("all are to go", isAsked);
    observation.resume();
    await isHeld(pipeline, count);
    pipeline.configure({ guard, policy, without: ["west"] });
    await pipeline.caughtUp(["east"]);
    expect(pipeline.writesSince(from)).toEqual([]);
    await isHeld(pipeline, count);

    const { batch } = (await observation.status()).guard;
    expect(observation.approve(batch ?? "")).toBe(count);
    await pipeline.until("East's part is gone", () => numbers.every((number) => has(pipeline, number, 2)));
    await pipeline.caughtUp(["east"]);
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": count });
  },
);
