import { expect, it } from "vitest";
import type { BuiltBody, FromShard } from "../../src/shard/protocol.ts";
import { pod, ShardUnderTest, web } from "./shard-under-test.ts";

function written(): { readonly shard: ShardUnderTest; readonly id: string } {
  const shard = new ShardUnderTest();
  shard.pods(pod({ declares: web }));
  const change = shard.settle()[0]!;
  shard.write(change);
  return { shard, id: change.id };
}

function done(said: readonly FromShard[]): Extract<FromShard, { type: "done" }> {
  return said.find((message) => message.type === "done")!;
}

/** The writer has sent it, and APISIX has it. */
function acknowledge(shard: ShardUnderTest, id: string, { digest }: BuiltBody): FromShard[] {
  const entry = shard.gateway.get(id)!;
  return shard.send({ type: "known", entries: [{ ...entry.known, upstream: { digest } }] });
}

it("the body of an upstream that stands comes with its change where a request is free", () => {
  const { shard, id } = written();
  const { changes, bodies } = done(shard.podsWith(1, pod({ declares: web, ready: false })));
  expect(changes).toMatchObject([{ id, stand: { type: "live", upstream: true, route: false, nodes: 0 } }]);
  expect(bodies).toMatchObject([{ type: "body", id, resource: "upstream", nodes: 0 }]);
  expect(JSON.parse(bodies![0]!.body)).toMatchObject({ nodes: [] });
});

it("no more bodies come than requests are free, and none without", () => {
  const shard = new ShardUnderTest();
  const three = ["a", "b", "c"].map((name) => pod({ name, declares: [{ ...web[0], host: `${name}.test` }] }));
  shard.pods(...three);
  for (const change of shard.settle()) shard.write(change);
  const unready = three.map((one) => ({ ...one, ready: false }));
  const { changes, bodies } = done(shard.podsWith(2, ...unready));
  expect(changes).toHaveLength(3);
  expect(bodies).toHaveLength(2);
  expect(done(written().shard.podsWith(0, pod({ declares: web, ready: false }))).bodies).toBeUndefined();
});

it("while a body is on its way the next change comes without, as a key; after its answer with one again", () => {
  const { shard, id } = written();
  const first = done(shard.podsWith(1, pod({ declares: web, ready: false }))).bodies![0]!;
  const second = done(shard.podsWith(1, pod({ declares: web, ips: ["10.0.0.2"] })));
  expect(second.changes).toMatchObject([{ stand: { upstream: true } }]);
  expect(second.bodies).toBeUndefined();
  acknowledge(shard, id, first);
  const wanted = shard.body(id, "upstream")!;
  expect(wanted.body["nodes"]).toMatchObject([{ host: "10.0.0.2" }]);
  acknowledge(shard, id, { ...first, digest: wanted.digest });
  expect(done(shard.podsWith(1, pod({ declares: web, ready: false }))).bodies).toHaveLength(1);
});

it("a change that leads back to what stands is none", () => {
  const { shard, id } = written();
  const first = done(shard.podsWith(1, pod({ declares: web, ready: false }))).bodies![0]!;
  acknowledge(shard, id, first);
  const { changes } = done(shard.podsWith(1, pod({ declares: web, ready: false, phase: "Running" })));
  expect(changes).toEqual([]);
});

it("an acknowledgement of the upstream leaves a route's body that is on its way alone", () => {
  const shard = new ShardUnderTest();
  shard.pods(pod({ declares: web }));
  const { id, identity, stand } = shard.settle()[0]!;
  const upstream = shard.body(id, "upstream")!;
  shard.body(id, "route", stand.type === "live" ? stand.pairs : []);
  const known = { id, identity, upstream: { digest: upstream.digest } };
  expect(shard.send({ type: "known", entries: [known] })).toEqual([]);
});

it("what is not plain, or does not stand whole, is asked for", () => {
  const { shard } = written();
  const paused = pod({ declares: web, paused: true, ready: false });
  expect(done(shard.podsWith(1, paused)).bodies).toBeUndefined();
  const fresh = new ShardUnderTest();
  fresh.settle();
  const { changes, bodies } = done(fresh.podsWith(1, pod({ declares: web })));
  expect(changes).toHaveLength(1);
  expect(bodies).toBeUndefined();
});
