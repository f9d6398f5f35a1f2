import { describe, expect, it } from "vitest";
import type { FromShard } from "../../src/shard/protocol.ts";
import { cluster, clusters, drain, established, member, standing, successor, writes } from "./fleet-group.ts";

describe("M6 a cluster that goes out of sight", () => {
  it("changes nothing by itself, and asks for nothing", () => {
    const shard = established();
    const changes = shard.unsettle("west");
    expect(writes(changes)).toEqual([]);
    expect(changes).toMatchObject([{ counts: { Valid: 1, Unseen: 2 }, stand: { type: "frozen", nodes: 3 } }]);
    expect(shard.said.filter(({ type }) => type === "need")).toEqual([]);
  });

  it("keeps its nodes, whatever is heard of it before it is seen again; the others' are followed", () => {
    const shard = established();
    shard.unsettle("west");
    drain(shard, shard.gone(member(2), "west"));
    drain(shard, shard.podsOf("east", member(4), member(1, {}, { ready: false })));
    expect(standing(shard)).toMatchObject({
      hosts: ["10.0.0.2", "10.0.0.3", "10.0.0.4"],
      members: ["east", "west"],
    });
    drain(shard, shard.settle("west"));
    expect(standing(shard).hosts).toEqual(["10.0.0.3", "10.0.0.4"]);
  });

  it("keeps the settings as they stand, though whoever is left wants others; back, the oldest sets them", () => {
    const shard = established([member(1, { retries: 5 })]);
    shard.unsettle("east");
    drain(shard, shard.podsOf("west", member(2, { retries: 7, uri: "/v2/*" })));
    expect(standing(shard)).toMatchObject({ upstream: { retries: 5 }, route: { uris: ["/*"] } });
    drain(shard, shard.gone(member(1)));
    expect(standing(shard)).toMatchObject({ upstream: { retries: 5 }, route: { uris: ["/*"] } });
    drain(shard, shard.settle("east"));
    expect(standing(shard)).toMatchObject({ upstream: { retries: 5 }, members: ["east", "west"] });
    drain(shard, shard.letGo());
    expect(standing(shard)).toMatchObject({
      upstream: { retries: 7 },
      route: { uris: ["/v2/*"] },
      members: ["west"],
    });
  });

  it("keeps the group, when nothing else declares it any more", () => {
    const shard = established();
    shard.unsettle("west");
    drain(shard, shard.gone(member(1)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["west"] });
    shard.gone(member(2), "west");
    shard.gone(member(3), "west");
    expect(shard.settle("west")).toMatchObject([{ stand: { type: "absent", cause: "gone" } }]);
  });

  it("what was on its way then is read before anything else is written", () => {
    const shard = established();
    const [change] = shard.podsOf("west", member(4));
    const sent = shard.body(change!.id, "upstream")!;
    shard.unsettle("west");
    expect(shard.body(change!.id, "upstream")).toBeUndefined();
    const held = shard.gateway.get(change!.id)!;
    const known = { ...held.known, upstream: { digest: sent.digest } };
    shard.gateway.set(change!.id, { ...held, upstream: sent.body, known });
    shard.send({ type: "known", entries: [known] });
    drain(shard, shard.podsOf("east", member(5)));
    expect(standing(shard).hosts).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"]);
  });

  it("settings whose write had no answer, and was not applied, are not taken for those that stand, however often it is read", () => {
    const shard = established();
    const { known } = [...shard.gateway.values()][0]!;
    const [change] = shard.podsOf("east", member(1, { retries: 5 }));
    expect(shard.body(change!.id, "upstream")?.body).toMatchObject({ retries: 5 });
    shard.send({ type: "known", entries: [{ ...known, upstream: { digest: "" } }] });
    shard.unsettle("west");
    shard.send({ type: "known", entries: [known] });
    drain(shard, []);
    expect(shard.send({ type: "known", entries: [known] })).toEqual([]);
    drain(shard, shard.podsOf("east", member(4)));
    expect(standing(shard).upstream).toMatchObject({ retries: 1 });
    expect(standing(shard).hosts).toHaveLength(4);
    drain(shard, shard.settle("west"));
    expect(standing(shard).upstream).toMatchObject({ retries: 5 });
  });

  it("what was read of it before is not taken for what stands, when it is lost while a write of it is on its way", () => {
    const shard = established();
    const { next } = successor(shard, {
      east: [member(1, {}, { paused: true })],
      west: [member(2), member(3)],
    });
    // It has been read, for East's member is paused; then West has one more, and its write is on its way.
    drain(next, next.podsOf("west", member(4)));
    const [change] = next.podsOf("west", member(5));
    const sent = next.body(change!.id, "upstream")!;
    next.unsettle("west");
    next.podsOf("east", member(6));
    expect(next.body(change!.id, "upstream")).toBeUndefined();
    const held = next.gateway.get(change!.id)!;
    const known = { ...held.known, upstream: { digest: sent.digest } };
    next.gateway.set(change!.id, { ...held, upstream: sent.body, known });
    next.send({ type: "known", entries: [known] });
    drain(next, []);
    expect(standing(next).hosts).toEqual([
      "10.0.0.1",
      "10.0.0.2",
      "10.0.0.3",
      "10.0.0.4",
      "10.0.0.5",
      "10.0.0.6",
    ]);
  });

  it("its weight 0 takes its nodes out all the same, another weight is written", () => {
    const shard = established();
    shard.unsettle("west");
    const weigh = (weight: number): FromShard[] =>
      shard.send({
        type: "configure",
        options: {
          ...{ instance: "default", defaultUri: "/*", plugins: [], by: "service" },
          ...{ clusters: [cluster("east"), cluster("west", weight)] },
          nodePort: { maxNodes: 64, address: "InternalIP" },
        },
      });
    const changesIn = (said: readonly FromShard[]) =>
      said.flatMap((message) => (message.type === "changes" ? message.changes : []));
    drain(shard, changesIn(weigh(0)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.1"], members: ["east", "west"] });
    drain(shard, changesIn(weigh(10)));
    expect(standing(shard).upstream.nodes.map(({ weight }) => weight)).toEqual([100, 10, 10]);
  });

  it("leaves the configuration: likewise, until it is back and seen", () => {
    const shard = established();
    const configure = (names: typeof clusters): void => {
      const options = {
        ...{ instance: "default", defaultUri: "/*", plugins: [], by: "service" as const, clusters: names },
        nodePort: { maxNodes: 64, address: "InternalIP" as const },
      };
      drain(
        shard,
        shard.send({ type: "configure", options }).flatMap((m) => ("changes" in m ? m.changes : [])),
      );
    };
    configure([cluster("east")]);
    drain(shard, shard.podsOf("east", member(4)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"] });
    configure(clusters);
    drain(shard, shard.podsOf("west", member(2)));
    expect(standing(shard).hosts).toHaveLength(4);
    drain(shard, shard.settle("west"));
    expect(standing(shard).hosts).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.4"]);
  });
});
