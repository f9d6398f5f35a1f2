import { describe, expect, it } from "vitest";
import { applied, deleted, identity } from "./objects.ts";
import { settledFleet } from "./fleet.ts";

describe("an object that kills its shard", () => {
  it("is found and kept from it, and harms what it may belong to, nothing else", async () => {
    const fleet = await settledFleet();
    fleet.offer(applied("c"), applied("poison"), applied("d"));
    await fleet.clock.advance(10_000);
    expect(fleet.shards.quarantined()).toMatchObject([
      { cluster: "east", kind: "pods", namespace: "shop", name: "poison" },
    ]);
    expect(fleet.said.filter((line) => line.startsWith("quarantined"))).toEqual(["quarantined poison"]);
    expect([...fleet.stub().held.keys()].toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(fleet.shards.stats()).toMatchObject({ restarts: { error: 3 }, down: 0 });
    expect(fleet.shards.isUp(identity("a"))).toBe(true);
    expect(fleet.shards.isUp(identity("poison"))).toBe(false);
    expect(fleet.shards.isUp(identity("", { share: "cluster" }))).toBe(false);
    expect(fleet.shards.isUp(identity("", { share: "fleet", cluster: "" }))).toBe(false);
    expect(fleet.shards.isUp(identity("", { share: "cluster", namespace: "other" }))).toBe(true);
  });

  it("stays in quarantine while it changes, and leaves it when it is deleted", async () => {
    const fleet = await settledFleet();
    fleet.offer(applied("poison"));
    await fleet.clock.advance(10_000);
    fleet.said.length = 0;
    fleet.offer(applied("poison", 5, { ready: false }));
    await fleet.clock.advance(0);
    expect(fleet.said).toEqual([]);
    fleet.offer(deleted("poison"));
    await fleet.clock.advance(0);
    expect(fleet.said).toEqual(["restored 0"]);
    expect(fleet.shards.quarantined()).toEqual([]);
    expect(fleet.shards.isUp(identity("poison"))).toBe(true);
  });

  it("is not seen in one that was merely there at two deaths", async () => {
    const fleet = await settledFleet();
    let deaths = 2;
    fleet.instead = (message) => {
      if (message.type !== "batch" || message.entries.length === 0 || deaths === 0) return undefined;
      deaths--;
      throw new Error("chance");
    };
    fleet.offer(applied("c"));
    await fleet.clock.advance(10_000);
    expect(fleet.shards.quarantined()).toEqual([]);
    expect([...fleet.stub().held.keys()].toSorted()).toEqual(["a", "b", "c"]);
    expect(fleet.shards.stats().restarts.error).toBe(2);
  });

  it("is not seen in one that was there at deaths with a recovery between them", async () => {
    const fleet = await settledFleet();
    for (let death = 0; death < 3; death++) {
      let once = true;
      fleet.instead = (message) => {
        if (!once || message.type !== "batch") return undefined;
        once = false;
        throw new Error("chance");
      };
      fleet.offer(applied("c", death));
      await fleet.clock.advance(10_000);
    }
    expect(fleet.shards.stats().restarts.error).toBe(3);
    expect(fleet.shards.quarantined()).toEqual([]);
  });
});
