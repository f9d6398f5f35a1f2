import { describe, expect, it } from "vitest";
import type { FromShard, ToShard } from "../../src/shard/protocol.ts";
import { createShardHandler } from "../../workers/shard-handler.ts";
import { applied, deleted, identity } from "./objects.ts";
import { Fleet, settledFleet, watched } from "./fleet.ts";

describe("a shard that dies", () => {
  it("is replaced by an empty one, which is told everything before it is settled, and only then is up", async () => {
    const fleet = await settledFleet();
    let up: boolean | undefined;
    fleet.instead = (message) => {
      if (message.type === "settle") up = fleet.shards.isUp(identity("a"));
      return undefined;
    };
    fleet.links.kill(0);
    await fleet.clock.advance(0);
    expect(fleet.stubs).toHaveLength(2);
    expect(fleet.stub().told.map(({ type }) => type)).toEqual([
      "cluster",
      "known",
      "batch",
      "batch",
      "settle",
      "batch",
    ]);
    expect([...fleet.stub().held.keys()]).toEqual(["a", "b"]);
    expect([...fleet.stub().known.keys()]).toEqual(["t-a"]);
    expect(up).toBe(false);
    expect(fleet.said).toEqual(["lost 0 exit", "changes t-a,t-b", "changes t-a,t-b", "restored 0"]);
    expect(fleet.shards.isUp(identity("a"))).toBe(true);
    expect(fleet.shards.stats()).toMatchObject({ restarts: { exit: 1 }, waiting: 0, unacked: 0, down: 0 });
  });

  it("has its keys frozen, and only its own, until it is restored", async () => {
    const fleet = new Fleet({ count: 2 });
    await fleet.start();
    const places = Array.from({ length: 8 }, (_, index) => identity("a", { namespace: `team-${index}` }));
    fleet.links.kill(1);
    await fleet.clock.advance(0);
    fleet.links.kill(1);
    await fleet.clock.advance(100);
    expect(fleet.shards.stats().down).toBe(1);
    for (const place of places) expect(fleet.shards.isUp(place)).toBe(fleet.shards.shardOf(place) === 0);
    await fleet.clock.advance(100);
    for (const place of places) expect(fleet.shards.isUp(place)).toBe(true);
  });

  it("loses nothing of what is offered, settled or known while it is away", async () => {
    const fleet = await settledFleet();
    fleet.links.kill(0);
    await fleet.clock.advance(0);
    fleet.links.kill(0);
    await fleet.clock.advance(10);
    expect(fleet.shards.stats().down).toBe(1);
    fleet.offer(applied("c"), deleted("a"));
    fleet.shards.cluster("west", "uid-west");
    const settled = watched(fleet.shards.settle("west", "pods"));
    fleet.ledger.set("t-c", { id: "t-c", identity: identity("c") });
    fleet.shards.known({ id: "t-c", identity: identity("c") });
    await fleet.clock.advance(200);
    expect(settled.value).toBe(true);
    expect([...fleet.stub().held.keys()]).toEqual(["b", "c"]);
    expect([...fleet.stub().known.keys()]).toEqual(["t-a", "t-c"]);
    expect(fleet.stub().told.filter(({ type }) => type === "settle")).toHaveLength(2);
  });

  it("answers a want with stale, when it dies and while it is away, and refuses to explain", async () => {
    const fleet = await settledFleet();
    fleet.instead = (message) => (message.type === "want" ? [] : undefined);
    const want = watched(fleet.shards.want(identity("a"), "t-a", "route", ["x /*"]));
    const explained = watched(fleet.shards.explain({ by: "ids", ids: [] }).catch((error: unknown) => error));
    fleet.links.kill(0);
    await fleet.clock.advance(0);
    expect(want.value).toEqual({ type: "stale", id: "t-a", resource: "route" });
    expect(explained.value).toMatchObject({ code: "SHARD_LOST" });
    fleet.links.kill(0);
    await fleet.clock.advance(1);
    expect((await fleet.shards.want(identity("a"), "t-a", "upstream")).type).toBe("stale");
    await expect(fleet.shards.explain({ by: "problems" })).rejects.toMatchObject({ code: "SHARD_LOST" });
  });

  it("answers no want before it is restored", async () => {
    const fleet = await settledFleet();
    const isMark = (message: ToShard) => message.type === "batch" && message.entries.length === 0;
    fleet.instead = (message) => (isMark(message) ? [] : undefined);
    fleet.links.kill(0);
    await fleet.clock.advance(0);
    expect(fleet.stubs).toHaveLength(2);
    const want = watched(fleet.shards.want(identity("a"), "t-a", "upstream"));
    await fleet.clock.advance(0);
    expect(want.value?.type).toBe("stale");
    expect(fleet.stub().told.map(({ type }) => type)).not.toContain("want");
  });

  it("is started again after twice as long each time, and at once after a minute of health", async () => {
    const fleet = await settledFleet();
    const waits: number[] = [];
    for (let death = 0; death < 11; death++) {
      const before = fleet.stubs.length;
      fleet.links.kill(0);
      let waited = -100;
      while (fleet.stubs.length === before) {
        await fleet.clock.advance(waited < 0 ? 0 : 100);
        waited += 100;
      }
      waits.push(waited);
    }
    expect(waits).toEqual([0, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    await fleet.clock.advance(60_000);
    fleet.links.kill(0);
    await fleet.clock.advance(0);
    expect(fleet.stubs).toHaveLength(13);
  });

  it("says after its reseed what one that never died would say", async () => {
    const handlers: ((message: ToShard) => FromShard[])[] = [];
    const fleet = new Fleet({
      create: (options) => {
        const handler = createShardHandler(options);
        handlers.push(handler);
        return handler;
      },
    });
    await fleet.start();
    fleet.shards.cluster("east", "uid-east");
    for (let index = 0; index < 40; index++) fleet.offer(applied(`a${index}`, 1));
    void fleet.shards.settle("east", "pods");
    await fleet.clock.advance(0);
    for (let index = 0; index < 20; index++)
      fleet.offer(index % 2 ? deleted(`a${index}`, 2) : applied(`a${index}`, 2, { ips: ["10.9.9.9"] }));
    await fleet.clock.advance(0);
    fleet.links.kill(0);
    await fleet.clock.advance(0);
    const asked = async <Value>(answer: Promise<Value>) => {
      await fleet.clock.advance(0);
      return answer;
    };
    const ids = (
      await asked(
        fleet.shards.explain({ by: "object", cluster: "east", kind: "pod", namespace: "shop", name: "a0" }),
      )
    ).map(({ id }) => id);
    expect(ids).toHaveLength(1);
    const [first, second] = handlers;
    const ask: ToShard = { type: "want", id: ids[0] ?? "", resource: "upstream" };
    const want = await asked(fleet.shards.want(identity("x"), ids[0] ?? "", "upstream"));
    expect(want).toEqual(first?.(ask).find(({ type }) => type === "body"));
    const explain: ToShard = { type: "explain", token: 1, query: { by: "problems" } };
    expect(second?.(explain)).toEqual(first?.(explain));
  });
});

describe("a shard that says what no shard says", () => {
  it.each<[string, unknown]>([
    ["an unknown type", { type: "hello" }],
    ["no object", 7],
    ["changes of a wrong shape", { type: "changes", changes: [{ id: 7 }] }],
    [
      "a stand of an unknown type",
      {
        type: "changes",
        changes: [{ id: "t", identity: identity("a"), counts: {}, stand: { type: "constructor" } }],
      },
    ],
    ["an answer to a batch that was not sent", { type: "done", seq: 99, changes: [] }],
    ["an answer to a want that nobody has", { type: "same", id: "t-a", resource: "route" }],
    ["an answer to a settle that was not sent", { type: "settled", token: 99, changes: [] }],
    ["ready once more", { type: "ready" }],
  ])("%s: is lost and replaced", async (_, message) => {
    const fleet = await settledFleet();
    let once = true;
    fleet.instead = () => {
      if (!once) return undefined;
      once = false;
      return [message as FromShard];
    };
    fleet.shards.cluster("east", "uid-east");
    await fleet.clock.advance(0);
    expect(fleet.said[0]).toBe("lost 0 protocol");
    expect(fleet.said.at(-1)).toBe("restored 0");
  });
});
