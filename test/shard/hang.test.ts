import { describe, expect, it } from "vitest";
import type { FromShard } from "../../src/shard/protocol.ts";
import { applied, identity } from "./objects.ts";
import type { Fleet } from "./fleet.ts";
import { settledFleet } from "./fleet.ts";

describe("a shard that hangs", () => {
  it.each<[string, (fleet: Fleet) => unknown]>([
    ["batch", (fleet) => fleet.offer(applied("c"))],
    ["want", (fleet) => fleet.shards.want(identity("a"), "t-a", "upstream")],
    ["settle", (fleet) => fleet.shards.settle("west", "pods")],
    ["explain", (fleet) => fleet.shards.explain({ by: "problems" }).catch(() => {})],
  ])("with a %s is noticed within 5 seconds, and replaced", async (_, ask) => {
    const fleet = await settledFleet();
    fleet.links.hang(0);
    void ask(fleet);
    await fleet.clock.advance(3900);
    expect(fleet.said).toEqual([]);
    await fleet.clock.advance(1100);
    expect(fleet.said).toContain("lost 0 hang");
    expect(fleet.said.at(-1)).toBe("restored 0");
    expect(fleet.shards.stats().restarts.hang).toBe(1);
  });

  it("with something told, which has no answer, is noticed too", async () => {
    const fleet = await settledFleet();
    await fleet.clock.advance(2000);
    fleet.links.hang(0);
    fleet.shards.forget(identity("a"), "t-a");
    await fleet.clock.advance(6100);
    expect(fleet.said).toContain("lost 0 hang");
  });

  it("is not presumed while nothing is asked of it", async () => {
    const fleet = await settledFleet();
    await fleet.clock.advance(2000);
    fleet.links.hang(0);
    await fleet.clock.advance(600_000);
    expect(fleet.said).toEqual([]);
  });

  it("is not presumed of one that is slow but answers", async () => {
    const fleet = await settledFleet();
    const { want } = fleet.shards;
    const answers: FromShard[] = [];
    fleet.instead = (message) => {
      if (message.type === "want") answers.push({ type: "same", id: message.id, resource: message.resource });
      return message.type === "want" ? [] : message.type === "cluster" ? answers.splice(0, 1) : undefined;
    };
    for (let index = 0; index < 5; index++)
      void want.call(fleet.shards, identity("a"), `t-${index}`, "upstream");
    for (let index = 0; index < 5; index++) {
      await fleet.clock.advance(3500);
      fleet.shards.cluster("east", "uid-east");
      await fleet.clock.advance(0);
    }
    await fleet.clock.advance(60_000);
    expect(fleet.said).toEqual([]);
  });

  it("is given twice the time when the last one hung too", async () => {
    const fleet = await settledFleet();
    fleet.links.hang(0);
    fleet.offer(applied("c"));
    await fleet.clock.advance(5000);
    fleet.said.length = 0;
    fleet.links.hang(0);
    fleet.offer(applied("d"));
    await fleet.clock.advance(7900);
    expect(fleet.said).toEqual([]);
    await fleet.clock.advance(2100);
    expect(fleet.said[0]).toBe("lost 0 hang");
  });
});
