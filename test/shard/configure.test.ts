import { expect, it } from "vitest";
import { Fleet, options, watched } from "./fleet.ts";
import { applied } from "./objects.ts";

const newer = { ...options, plugins: ["cors"] };

it("a new configuration reaches every shard behind what was offered before it, and before what comes after", async () => {
  const fleet = new Fleet({ count: 2 });
  await fleet.start();
  fleet.offer(applied("a"), applied("b", 0, { namespace: "team-1" }));
  fleet.shards.configure(newer);
  fleet.offer(applied("c"), applied("d", 0, { namespace: "team-1" }));
  await fleet.clock.advance(0);
  for (const shard of [0, 1]) {
    const told = fleet.stub(shard).told.filter(({ type }) => type === "batch" || type === "configure");
    expect(told.map(({ type }) => type)).toContain("configure");
  }
  const { told } = fleet.stub(
    fleet.shards.shardOf({ cluster: "east", kind: "pod", namespace: "shop", name: "a" }),
  );
  const order = told.flatMap((message) =>
    message.type === "batch" ? message.entries.map(({ name }) => name) : [message.type],
  );
  expect(order.filter((word) => ["a", "configure", "c"].includes(word))).toEqual(["a", "configure", "c"]);
});

it("a shard that is started again starts with the newest configuration", async () => {
  const fleet = new Fleet();
  await fleet.start();
  fleet.shards.configure(newer);
  await fleet.clock.advance(0);
  fleet.links.kill(0);
  await fleet.clock.advance(0);
  expect(fleet.stubs).toHaveLength(2);
  expect(fleet.stub().options.plugins).toEqual(["cors"]);
  expect(fleet.stub().told.map(({ type }) => type)).not.toContain("configure");
});

it("one that was being started when the configuration changed learns it first of all", async () => {
  const fleet = new Fleet();
  const started = fleet.shards.start();
  fleet.shards.cluster("east", "uid-east");
  fleet.shards.configure(newer);
  await fleet.clock.advance(0);
  await started;
  expect(fleet.stub().options.plugins).toEqual([]);
  expect(fleet.stub().told[0]).toEqual({ type: "configure", options: newer });
});

it("what was being settled of a cluster that leaves never is, also for a shard that is started again", async () => {
  const fleet = new Fleet();
  await fleet.start();
  fleet.instead = (message) => (message.type === "settle" ? [] : undefined);
  const settled = watched(fleet.shards.settle("east", "pods"));
  await fleet.clock.advance(0);
  fleet.shards.configure({ ...options, clusters: [] });
  await fleet.clock.advance(0);
  expect(settled.value).toBe(false);
  fleet.links.kill(0);
  await fleet.clock.advance(0);
  expect(fleet.stub().told.map(({ type }) => type)).not.toContain("settle");
});

it("what was out of sight of a cluster that leaves is not remembered: names come and go for ever", async () => {
  const fleet = new Fleet();
  await fleet.start();
  await Promise.all([fleet.shards.unsettle("east", "pods"), fleet.clock.advance(0)]);
  fleet.shards.configure({ ...options, clusters: [] });
  await fleet.clock.advance(0);
  fleet.links.kill(0);
  await fleet.clock.advance(0);
  expect(fleet.stubs).toHaveLength(2);
  expect(fleet.stub().told.map(({ type }) => type)).not.toContain("unsettle");
});
