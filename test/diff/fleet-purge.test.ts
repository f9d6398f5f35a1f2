import { describe, expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { ShardUnderTest } from "./shard-under-test.ts";
import { drain, established, member, standing, successor, writes } from "./fleet-group.ts";

describe("purge and accept", () => {
  const purge = (shard: ShardUnderTest, name: string): Change[] =>
    shard.send({ type: "purge", cluster: name }).flatMap((said) => ("changes" in said ? said.changes : []));

  it("a purged cluster's part and name are dropped, and the others set the spec", () => {
    const shard = established([member(1, { retries: 5 })]);
    shard.unsettle("east");
    drain(shard, purge(shard, "east"));
    expect(standing(shard)).toMatchObject({
      hosts: ["10.0.0.2", "10.0.0.3"],
      members: ["west"],
      upstream: { retries: 1 },
    });
  });

  it("a group that is only its goes, and so do those of that cluster alone", () => {
    const shard = established([member(1, { share: "none", host: "own.example.com" })]);
    const { next } = successor(shard, { east: [], west: undefined as never });
    const gone = purge(next, "west");
    expect(gone).toMatchObject([{ stand: { type: "absent", grace: false, cause: "purged" } }]);
    shard.unsettle("east");
    expect(purge(shard, "east")).toMatchObject([{ identity: { share: "none" }, stand: { cause: "purged" } }]);
  });

  it("what is heard of it afterwards waits for a whole list", () => {
    const shard = established([member(1, { share: "none", host: "own.example.com" })]);
    shard.unsettle("east");
    drain(shard, purge(shard, "east"));
    expect(shard.podsOf("east", member(1, { share: "none", host: "own.example.com" }))).toEqual([]);
    expect(writes(shard.settle("east"))).toEqual(["upstream", "route"]);
  });

  it("a rebuilt cluster's new identity is written into upstreams only", () => {
    const shard = established();
    const said = shard.send({ type: "cluster", cluster: "west", uid: "uid-new" });
    const changes = said.flatMap((message) => ("changes" in message ? message.changes : []));
    expect(writes(changes)).toEqual(["upstream"]);
    drain(shard, changes);
    expect(standing(shard).upstream.labels).toMatchObject({ "translator/member.west": "uid-new" });
  });

  it("while it is out of sight, its old identity stays as it stands", () => {
    const shard = established();
    shard.unsettle("west");
    const said = shard.send({ type: "cluster", cluster: "west", uid: "uid-other" });
    expect(writes(said.flatMap((message) => ("changes" in message ? message.changes : [])))).toEqual([]);
  });
});
