import { describe, expect, it } from "vitest";
import { clusters, drain, established, member, standing, successor, writes } from "./fleet-group.ts";

describe("M8 a new leader that cannot see one cluster", () => {
  it.each([
    ["held the oldest member", { west: [member(2), member(3)] }],
    ["held none of the oldest", { east: [member(1, { retries: 5 })] }],
  ])("which %s: writes nothing", (_, seen) => {
    const { next, changes } = successor(established([member(1, { retries: 5 })]), seen);
    expect(writes(changes)).toEqual([]);
    expect(next.said.filter(({ type }) => type === "need")).toEqual([]);
  });

  it("freezes the settings, keeps its nodes, and follows the others'", () => {
    const shard = established([member(1, { retries: 5, port: 9090 })]);
    const { next, changes } = successor(shard, { west: [member(2), member(3)] });
    drain(next, changes);
    drain(next, next.podsOf("west", member(2, { retries: 7 }, { ready: false }), member(4)));
    expect(standing(next)).toMatchObject({
      hosts: ["10.0.0.1", "10.0.0.3", "10.0.0.4"],
      upstream: { retries: 5 },
      members: ["east", "west"],
    });
  });

  it("follows a member that cannot be read by the port that stands", () => {
    const shard = established([member(1, { port: 9090 }), member(4)]);
    const { next, changes } = successor(shard, { west: [member(2, { retries: "many" }), member(3)] });
    drain(next, changes);
    drain(next, next.podsOf("west", member(2, { retries: "many" }, { ips: ["10.0.9.9"] })));
    const moved = standing(next).upstream.nodes.find(({ host }) => host === "10.0.9.9");
    expect(moved).toMatchObject({ port: 9090 });
  });

  it("which held all nodes: they stay, whoever joins", () => {
    const shard = established([]);
    const { next, changes } = successor(shard, { east: [] });
    expect(changes).toEqual([]);
    drain(next, next.podsOf("east", member(9, {}, { ready: false })));
    expect(standing(next)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["east", "west"] });
  });

  it("which held no node: the others' are followed, and it stays a member", () => {
    const shard = established([member(1, {}, { ready: false })]);
    const { next, changes } = successor(shard, { west: [member(2), member(3)] });
    expect(writes(changes)).toEqual([]);
    drain(next, next.gone(member(3), "west"));
    expect(standing(next)).toMatchObject({ hosts: ["10.0.0.2"], members: ["east", "west"] });
  });

  it("waits for those that may still be heard", () => {
    const next = established().successor({ clusters });
    next.podsOf("east", member(1, {}, { ready: false }));
    expect(next.settle("east")).toEqual([]);
    expect(next.answerNeeds()).toEqual([]);
    drain(next, next.unsettle("west"));
    expect(standing(next).hosts).toEqual(["10.0.0.2", "10.0.0.3"]);
  });

  it("whose upstream's labels somebody took off: every cluster may be in it", () => {
    const next = established().successor({ clusters });
    const [held] = [...next.gateway.values()];
    next.send({ type: "known", entries: [{ ...held!.known, members: [] }] });
    expect(next.settle("east")).toEqual([]);
    drain(next, next.unsettle("west"));
    expect(standing(next).hosts).toEqual(["10.0.0.2", "10.0.0.3"]);
    expect(next.settle("west")).toMatchObject([{ stand: { type: "absent" } }]);
  });
});
