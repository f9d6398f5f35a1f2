import { expect, it } from "vitest";
import { contentDigest } from "../../src/apisix/canonical.ts";
import type { Change } from "../../src/shard/change.ts";
import { drain, established, member, standing, writes } from "./fleet-group.ts";
import { pod, ShardUnderTest, web } from "./shard-under-test.ts";

/** Somebody edits the upstream, and a look finds it. */
function edit(shard: ShardUnderTest): Change[] {
  const [[id, stood]] = [...shard.gateway] as [
    [string, NonNullable<ReturnType<ShardUnderTest["gateway"]["get"]>>],
  ];
  const upstream = { ...stood.upstream, retries: 9 };
  const known = { ...stood.known, upstream: { digest: contentDigest(upstream), found: upstream } };
  shard.gateway.set(id, { ...stood, upstream, known });
  const said = shard.send({ type: "known", entries: [known] });
  return said.flatMap((message) => ("changes" in message ? message.changes : []));
}

it("settings of a fleet group that somebody edits while a cluster of it is out of sight are left as found, also where nodes of others wait to be written", () => {
  const shard = established();
  drain(shard, shard.unsettle("east"));
  const waiting = shard.podsOf("west", member(4));
  expect(writes(waiting)).toEqual(["upstream"]);
  drain(shard, edit(shard));
  expect(standing(shard)).toMatchObject({
    hosts: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"],
    upstream: { retries: 9 },
  });
});

it("settings that an Invalid declaration freezes are left as somebody edited them, also where its nodes wait to be written", () => {
  const shard = new ShardUnderTest();
  shard.pods(pod({ declares: web }));
  drain(shard, shard.settle());
  drain(shard, shard.pods(pod({ routes: "{" })));
  expect(writes(shard.pods(pod({ routes: "{", ips: ["10.0.0.9"] })))).toEqual(["upstream"]);
  drain(shard, edit(shard));
  expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.9"], upstream: { retries: 9 } });
});

it("an answer to nodes that were written does not make frozen settings be read, where more nodes wait meanwhile", () => {
  const shard = established();
  drain(shard, shard.unsettle("east"));
  const [change] = shard.podsOf("west", member(4));
  const { digest = "", body } = shard.body(change!.id, "upstream") ?? {};
  expect(body).toBeDefined();
  shard.podsOf("west", member(5));
  shard.said.length = 0;
  const { known } = shard.gateway.get(change!.id)!;
  shard.send({ type: "known", entries: [{ ...known, upstream: { digest } }] });
  expect(shard.said.filter(({ type }) => type === "need")).toEqual([]);
});
