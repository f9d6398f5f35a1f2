import { describe, expect, it } from "vitest";
import { applied, deleted, identity } from "./objects.ts";
import { Fleet, watched } from "./fleet.ts";

describe("a shard that lives", () => {
  it("gets what is offered, and its changes are handed over", async () => {
    const fleet = new Fleet();
    await fleet.start();
    fleet.offer(applied("a"), applied("b"), deleted("a"));
    await fleet.clock.advance(0);
    expect([...fleet.stub().held.keys()]).toEqual(["b"]);
    expect(fleet.said).toEqual(["changes t-a,t-b"]);
    expect(fleet.shards.isUp(identity("a"))).toBe(true);
  });

  it("is settled after everything that was offered before, and its changes come before the promise", async () => {
    const fleet = new Fleet();
    await fleet.start();
    for (let index = 0; index < 2000; index++) fleet.offer(applied(`a${index}`));
    const settled = fleet.shards.settle("east", "pods").then((value) => fleet.said.push(`settled ${value}`));
    await fleet.clock.advance(0);
    await settled;
    expect(fleet.said.at(-1)).toBe("settled true");
    expect(fleet.said.at(-2)?.split(",")).toHaveLength(2000);
  });

  it("answers wants in their order, also for one resource", async () => {
    const fleet = new Fleet();
    await fleet.start();
    const wants = [
      fleet.shards.want(identity("a"), "t-a", "upstream"),
      fleet.shards.want(identity("a"), "t-a", "upstream"),
      fleet.shards.want(identity("a"), "t-a", "route", ["x /*"]),
    ];
    await fleet.clock.advance(0);
    expect(await Promise.all(wants)).toEqual([
      { type: "same", id: "t-a", resource: "upstream" },
      { type: "same", id: "t-a", resource: "upstream" },
      { type: "same", id: "t-a", resource: "route" },
    ]);
    expect(fleet.stub().told.at(-1)).toEqual({ type: "want", id: "t-a", resource: "route", pairs: ["x /*"] });
  });

  it("hears what is known, forgotten and kept", async () => {
    const fleet = new Fleet();
    await fleet.start();
    fleet.shards.known({ id: "t-a", identity: identity("a") });
    fleet.shards.known({ id: "t-b", identity: identity("b") });
    fleet.shards.forget(identity("a"), "t-a");
    fleet.shards.kept(identity("b"), "t-b", { retries: 1 }, null);
    await fleet.clock.advance(0);
    expect([...fleet.stub().known.keys()]).toEqual(["t-b"]);
    expect(fleet.stub().told.at(-1)).toEqual({
      type: "kept",
      id: "t-b",
      upstream: { retries: 1 },
      route: null,
    });
  });

  it("says what it needs", async () => {
    const fleet = new Fleet();
    fleet.instead = (message) =>
      message.type === "cluster" ? [{ type: "need", id: "t-a", identity: identity("a") }] : undefined;
    await fleet.start();
    fleet.shards.cluster("east", "uid");
    await fleet.clock.advance(0);
    expect(fleet.said).toEqual(["need t-a"]);
  });
});

describe("several shards", () => {
  it("share the keys by namespace, and settle together", async () => {
    const fleet = new Fleet({ count: 3 });
    await fleet.start();
    const namespaces = Array.from({ length: 30 }, (_, index) => `team-${index}`);
    fleet.offer(...namespaces.map((namespace) => ({ ...applied(namespace), namespace })));
    fleet.links.hang(1);
    const settled = watched(fleet.shards.settle("east", "pods"));
    await fleet.clock.advance(100);
    expect(settled.value).toBeUndefined();
    fleet.links.kill(1);
    await fleet.clock.advance(100);
    expect(settled.value).toBe(true);
    const held = [0, 1, 2].map((shard) => [...fleet.stub(shard).held.keys()]);
    expect(held.flat().toSorted()).toEqual(namespaces.toSorted());
    for (const [shard, names] of held.entries()) {
      expect(names.length).toBeGreaterThan(0);
      for (const namespace of names)
        expect(fleet.shards.shardOf({ cluster: "", kind: "pod", namespace, name: "" })).toBe(shard);
    }
  });

  it("by cluster, only the cluster's shard is told to settle", async () => {
    const fleet = new Fleet({ count: 3, by: "cluster" });
    await fleet.start();
    const settled = watched(fleet.shards.settle("east", "pods"));
    await fleet.clock.advance(0);
    expect(settled.value).toBe(true);
    const told = fleet.stubs.filter((stub) => stub.told.some(({ type }) => type === "settle"));
    expect(told.map((stub) => stub.options.shard)).toEqual([
      fleet.shards.shardOf({ cluster: "east", kind: "pod", namespace: "", name: "" }),
    ]);
  });

  it("explain an object from its shard, anything else from all", async () => {
    const fleet = new Fleet({ count: 3 });
    await fleet.start();
    for (let index = 0; index < 9; index++)
      fleet.offer({ ...applied(`a${index}`), namespace: `team-${index}` });
    const object = { by: "object", cluster: "east", kind: "pod", namespace: "team-4", name: "a4" } as const;
    const one = watched(fleet.shards.explain(object));
    const all = watched(fleet.shards.explain({ by: "problems" }));
    await fleet.clock.advance(0);
    expect(
      fleet.stubs.map(({ told }) => told.filter(({ type }) => type === "explain").length).toSorted(),
    ).toEqual([1, 1, 2]);
    expect(one.value).toBeDefined();
    expect(all.value).toBeDefined();
    const again = watched(fleet.shards.explain({ by: "problems" }));
    await fleet.clock.advance(0);
    expect(again.value?.map(({ name }) => name).toSorted()).toEqual(
      Array.from({ length: 9 }, (_, index) => `a${index}`),
    );
  });
});

describe("settling", () => {
  it("that is taken back ends false", async () => {
    const fleet = new Fleet();
    await fleet.start();
    fleet.links.hang(0);
    const settled = watched(fleet.shards.settle("east", "pods"));
    fleet.shards.unsettle("east", "pods");
    await fleet.clock.advance(0);
    expect(settled.value).toBe(false);
  });

  it("that is asked for again ends with the second", async () => {
    const fleet = new Fleet();
    await fleet.start();
    fleet.links.hang(0);
    const first = watched(fleet.shards.settle("east", "pods"));
    await fleet.clock.advance(0);
    const second = watched(fleet.shards.settle("east", "pods"));
    fleet.links.kill(0);
    await fleet.clock.advance(0);
    expect([first.value, second.value]).toEqual([true, true]);
    expect(fleet.stub().told.filter(({ type }) => type === "settle")).toHaveLength(1);
  });
});

describe("stopping", () => {
  it("ends every question", async () => {
    const fleet = new Fleet();
    await fleet.start();
    fleet.links.hang(0);
    const settled = watched(fleet.shards.settle("east", "pods"));
    const want = watched(fleet.shards.want(identity("a"), "t-a", "upstream"));
    const explained = watched(fleet.shards.explain({ by: "problems" }).catch((error: unknown) => error));
    await fleet.shards.stop();
    await fleet.clock.advance(100_000);
    expect(settled.value).toBe(false);
    expect(want.value?.type).toBe("stale");
    expect(explained.value).toMatchObject({ code: "ABORTED" });
    expect(fleet.said).toEqual([]);
    expect(fleet.stubs).toHaveLength(1);
  });

  it("before the start, or during it, ends that too", async () => {
    const unused = new Fleet();
    await unused.shards.stop();
    const fleet = new Fleet();
    const started = watched(fleet.shards.start().catch((error: unknown) => error));
    await fleet.shards.stop();
    await fleet.clock.advance(0);
    expect(started.value).toMatchObject({ code: "ABORTED" });
  });
});

describe("starting", () => {
  it("goes on when a shard is lost before it is up", async () => {
    const fleet = new Fleet({ count: 2 });
    const started = watched(fleet.shards.start().then(() => "started"));
    fleet.links.kill(1);
    await fleet.clock.advance(0);
    expect(started.value).toBe("started");
    expect(fleet.said).toEqual(["lost 1 exit", "restored 1"]);
  });

  it("is refused when a shard cannot be made at all", async () => {
    const fleet = new Fleet({
      create: () => {
        throw new Error("bad template");
      },
    });
    await expect(fleet.shards.start()).rejects.toMatchObject({ code: "SHARD_LOST" });
  });
});
