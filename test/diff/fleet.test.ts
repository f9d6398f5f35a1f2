import { describe, expect, it } from "vitest";
import { ShardUnderTest } from "./shard-under-test.ts";
import { clusters, drain, established, member, standing, successor, web, writes } from "./fleet-group.ts";

describe("one upstream over clusters", () => {
  it("has the nodes of all, each with its owner, and names them in its labels", () => {
    const { upstream, members } = standing(established());
    expect(upstream.nodes).toEqual([
      { host: "10.0.0.1", port: 8080, weight: 100, metadata: { cluster: "east", name: "p-1" } },
      { host: "10.0.0.2", port: 8080, weight: 100, metadata: { cluster: "west", name: "p-2" } },
      { host: "10.0.0.3", port: 8080, weight: 100, metadata: { cluster: "west", name: "p-3" } },
    ]);
    expect(members).toEqual(["east", "west"]);
    expect(upstream.labels).toMatchObject({
      "translator/member.east": "uid-east",
      "translator/member.west": "uid-west",
      "translator/share": "fleet",
    });
  });

  it("the oldest sets the spec; others differ and give nodes all the same, but for another scheme", () => {
    const shard = established([
      member(1, { retries: 5 }),
      member(4, { port: 9090 }),
      member(5, { scheme: "https" }),
    ]);
    expect(standing(shard)).toMatchObject({
      hosts: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"],
      upstream: { retries: 5 },
    });
  });

  it("is announced once a cluster is seen, whether the others are or not, where nothing of it stands", () => {
    const shard = new ShardUnderTest({ clusters });
    shard.podsOf("west", member(2));
    expect(shard.podsOf("east", member(3))).toEqual([]);
    drain(shard, shard.settle("east"));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.3"], members: ["east"] });
    drain(shard, shard.settle("west"));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["east", "west"] });
  });

  it("loses a cluster's name with its last member, and goes with its last member of all", () => {
    const shard = established();
    drain(shard, shard.gone(member(1)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["west"] });
    drain(shard, shard.gone(member(2), "west"));
    expect(shard.gone(member(3), "west")).toMatchObject([
      { stand: { type: "absent", grace: true, cause: "gone" } },
    ]);
  });

  it("needs a host where the template names the cluster", () => {
    const shard = new ShardUnderTest({ clusters, defaultHost: "{route}.{cluster}.example.com" });
    shard.podsOf("east", member(1, { host: undefined }));
    expect(shard.settle("east")).toMatchObject([{ counts: { Invalid: 1 }, stand: { type: "nothing" } }]);
  });

  it("is Forbidden where each shard sees one cluster, and the reason names the flag", () => {
    const shard = new ShardUnderTest({ clusters, by: "cluster" });
    expect(shard.podsOf("east", member(1))).toMatchObject([
      { counts: { Forbidden: 1 }, reason: expect.stringContaining("shards.by"), stand: { type: "nothing" } },
    ]);
  });

  it("takes its pairs even so: a later entry of the same annotation that wants one is Invalid", () => {
    const shard = new ShardUnderTest({ clusters, by: "cluster" });
    const { share: _share, ...alone } = web;
    const routes = JSON.stringify([web, { ...alone, name: "admin", uri: "/*" }]);
    shard.podsOf("east", member(1, {}, { routes }));
    expect(shard.settle("east")).toMatchObject([{ counts: { Invalid: 1 }, stand: { type: "nothing" } }]);
  });
});

describe("what cannot be read, or is paused", () => {
  it("an annotation that cannot be read is a member of the group in which its nodes stand, and of no other", () => {
    const shard = established();
    const broken = member(2, {}, { routes: "{" });
    const late = member(7, {}, { routes: "{" });
    const next = shard.successor({ clusters });
    next.podsOf("east", member(1));
    next.podsOf("west", broken, member(3), late);
    const changes = [...next.settle("east"), ...next.settle("west")];
    expect(writes(changes)).toEqual([]);
    expect(writes(next.answerNeeds())).toEqual([]);
    drain(next, next.podsOf("west", { ...broken, ready: false }));
    expect(standing(next).hosts).toEqual(["10.0.0.1", "10.0.0.3"]);
  });

  it("a paused member keeps its part as it stands, also under a new leader", () => {
    const shard = established();
    const paused = { ...member(2), paused: true, ready: false };
    expect(writes(shard.podsOf("west", paused))).toEqual([]);
    const { next, changes } = successor(shard, { east: [member(1)], west: [paused, member(3)] });
    expect(writes(changes)).toEqual([]);
    drain(next, next.podsOf("east", member(4)));
    expect(standing(next).hosts).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"]);
  });
});
