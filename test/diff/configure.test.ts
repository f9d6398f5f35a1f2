import { expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { Configured, FromShard } from "../../src/shard/protocol.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const options: Configured = {
  instance: "default",
  clusters: [{ name: "east", addressFamily: "IPv4", weight: 100 }],
  defaultUri: "/*",
  plugins: [],
  nodePort: { maxNodes: 64, address: "InternalIP" },
  by: "service",
};

const entry = { name: "web", port: 8080, host: "a.example.com" };

function changesIn(said: readonly FromShard[]): readonly Change[] {
  return said.flatMap((message) => ("changes" in message ? message.changes : []));
}

/** A shard with these Pods, all that they declare written. */
function written(...entries: readonly object[]): ShardUnderTest {
  const shard = new ShardUnderTest();
  shard.settle();
  const pods = entries.map((declares, index) => pod({ name: `p-${index}`, declares: [declares] }));
  for (const change of shard.pods(...pods)) shard.write(change);
  return shard;
}

function configure(shard: ShardUnderTest, changed: Partial<Configured>): readonly Change[] {
  return changesIn(shard.send({ type: "configure", options: { ...options, ...changed } }));
}

const weighing = (weight: number): Partial<Configured> => ({
  clusters: [{ name: "east", addressFamily: "IPv4", weight }],
});

it("nothing that matters changed: nothing is said", () => {
  expect(configure(written(entry), {})).toEqual([]);
});

it("a cluster's weight is written into upstreams only, and 0 takes its nodes out", () => {
  const shard = written(entry);
  for (const [weight, nodes] of [
    [7, [{ host: "10.0.0.1", port: 8080, weight: 7 }]],
    [0, []],
    [100, [{ host: "10.0.0.1", port: 8080, weight: 100 }]],
  ] as const) {
    const changes = configure(shard, weighing(weight));
    expect(changes).toMatchObject([{ stand: { type: "live", upstream: true, route: false } }]);
    expect(shard.write(changes[0]!).upstream?.["nodes"]).toEqual(nodes);
  }
});

it("the same weight again says nothing, though the cluster is written anew", () => {
  expect(configure(written(entry), weighing(100))).toEqual([]);
});

it("a plugin that comes on the list or leaves it changes who may use it, and nobody else", () => {
  const shard = written(entry, { ...entry, host: "b.example.com", plugins: { cors: {} } });
  expect(configure(shard, { plugins: ["cors"] })).toMatchObject([
    { identity: { name: "p-1" }, stand: { type: "live", route: true, upstream: true } },
  ]);
  expect(configure(shard, { plugins: [] })).toMatchObject([
    { identity: { name: "p-1" }, counts: { Forbidden: 1 } },
  ]);
});

it("defaults that change are filled in anew; a paused object stays as it was read", () => {
  const shard = new ShardUnderTest({ defaultHost: "{name}.one.example.com" });
  shard.settle();
  const { host: _, ...hostless } = entry;
  const running = pod({ name: "p-0", declares: [hostless] });
  const paused = pod({ name: "p-1", declares: [hostless] });
  for (const change of shard.pods(running, paused)) shard.write(change);
  shard.pods({ ...paused, paused: true });
  const changes = configure(shard, { defaultHost: "{name}.two.example.com" });
  expect(changes).toMatchObject([{ stand: { pairs: ["p-0.two.example.com /*"], upstream: false } }]);
});

it("a cluster that leaves is not spoken of any more, its objects are kept; back, nothing is written", () => {
  const shard = written(entry, { ...entry, host: "b.example.com" });
  const { id } = [...shard.gateway.values()][0]!.known;
  expect(configure(shard, { clusters: [] })).toEqual([]);
  expect(shard.gone(pod({ name: "p-0" }))).toEqual([]);
  expect(shard.settle()).toEqual([]);
  expect(shard.send({ type: "want", id, resource: "upstream" })).toEqual([
    { type: "stale", id, resource: "upstream" },
  ]);
  expect(configure(shard, {})).toEqual([]);
  const kept = pod({ name: "p-0", declares: [entry] });
  expect(shard.pods(kept)).toEqual([]);
  const said = shard.settle();
  expect(said).toMatchObject([
    { identity: { name: "p-0" }, stand: { type: "live", upstream: false, route: false } },
    { identity: { name: "p-1" }, stand: { type: "absent", cause: "gone" } },
  ]);
});
