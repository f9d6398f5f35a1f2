import { describe, expect, it } from "vitest";
import { pod, ShardUnderTest, web } from "./shard-under-test.ts";

describe("a group of Pods", () => {
  const member = (name: string, more: object = {}) =>
    pod({ name, declares: web, controller: "ReplicaSet", ips: [`10.0.1.${name.at(-1)}`], ...more });

  it("is one route with the nodes of all, named by their owners", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1"), member("web-2"));
    const [change, ...rest] = shard.settle();
    expect(rest).toEqual([]);
    expect(shard.write(change!).upstream!["nodes"]).toEqual([
      { host: "10.0.1.1", port: 8080, weight: 100, metadata: { cluster: "east", name: "web-1" } },
      { host: "10.0.1.2", port: 8080, weight: 100, metadata: { cluster: "east", name: "web-2" } },
    ]);
  });

  it("keeps every ready Pod as a node while a rollout edits the annotation (M10)", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1", { created: 1 }), member("web-2", { created: 2 }));
    shard.write(shard.settle()[0]!);
    const edited = [{ ...web[0], port: 9090, priority: 5 }];
    const [change] = shard.pods(member("web-3", { created: 3, declares: edited }));
    expect(change!.counts).toEqual({ Valid: 2, SpecMismatch: 1 });
    expect(change!.reason).toBe(
      "east/shop/pod/web-3: differs in port, priority from east/shop/pod/web-1, the oldest member of its group, which sets the route and the upstream",
    );
    expect(shard.write(change!).upstream!["nodes"]).toMatchObject([
      { host: "10.0.1.1", port: 8080 },
      { host: "10.0.1.2", port: 8080 },
      { host: "10.0.1.3", port: 9090 },
    ]);
  });

  it("keeps out the nodes of a member whose scheme differs", () => {
    const shard = new ShardUnderTest();
    shard.pods(
      member("web-1", { created: 1 }),
      member("web-2", { created: 2, declares: [{ ...web[0], scheme: "https" }] }),
    );
    expect(shard.write(shard.settle()[0]!).upstream!["nodes"]).toHaveLength(1);
  });

  it("takes in a new Pod whose declaration is invalid, with the group's own port", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1"));
    shard.write(shard.settle()[0]!);
    const [change] = shard.pods(member("web-2", { declares: [{ ...web[0], retries: -1 }] }));
    expect(change!.counts).toEqual({ Valid: 1, Invalid: 1 });
    expect(shard.write(change!).upstream!["nodes"]).toHaveLength(2);
  });

  it("keeps a paused member's part as it was, also after a restart", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1", { created: 1 }), member("web-2", { created: 2 }));
    shard.write(shard.settle()[0]!);
    const paused = member("web-2", { created: 2, paused: true, ready: false });
    const changes = shard.pods(paused);
    for (const change of changes) expect(change.stand).toMatchObject({ upstream: false });
    const next = shard.successor();
    next.pods(member("web-1", { created: 1 }), paused);
    const [change] = next.settle();
    expect(change).toMatchObject({ counts: { Valid: 1, Paused: 1 }, stand: { upstream: false } });
    expect(next.answerNeeds()).toEqual([]);
    expect(next.send({ type: "want", id: change!.id, resource: "upstream" })).toMatchObject([
      { type: "same" },
    ]);
  });
});

describe("an upstream body of over 1 MiB", () => {
  it("is not built, and says how many nodes there are", () => {
    const shard = new ShardUnderTest();
    const declares = [{ ...web[0], share: "cluster" }];
    const pods = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => {
        const number = from + at;
        const ip = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
        const name = `web-${number}`.padEnd(250, "x");
        return pod({ name, uid: `uid-${number}`, ips: [ip], declares });
      });
    shard.pods(...pods(1, 3001));
    const [fits] = shard.settle();
    expect(fits).toMatchObject({ counts: { Valid: 3000 } });
    const [over] = shard.pods(...pods(3001, 4001)).slice(-1);
    const before = shard.said.length;
    expect(shard.body(over!.id, "upstream")).toBeUndefined();
    const told = shard.said.slice(before).flatMap((message) => ("changes" in message ? message.changes : []));
    expect(told.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/^the upstream has 4000 nodes, more than fit into a body of 1 MiB/),
    );
  });
});
