import { placeOf } from "../../src/shard/shard-key.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog, systemClock } from "../../src/runtime.ts";
import type { Applied } from "../../src/shard/shards.ts";
import { Shards } from "../../src/shard/shards.ts";
import { ThreadLinks } from "../../src/shard/thread-links.ts";
import { options } from "./fleet.ts";
import { applied, identity } from "./objects.ts";

const parts = { clock: systemClock, log: silentLog };

/** Shards on real threads; `next` waits for something to be said. */
function threads(links: ThreadLinks, count: number, objects: readonly Applied[] = [], patience = 60_000) {
  const said: string[] = [];
  let heard = () => {};
  const say = (text: string) => {
    said.push(text);
    heard();
  };
  const shards: Shards = new Shards({
    ...{ count, options, links, ...parts, patience },
    objectsOf: (shard) => objects.filter((object) => shards.shardOf(placeOf(object)!) === shard),
    knownOf: () => [],
    on: {
      parts() {},
      nodes() {},
      changes: (changes) => changes.forEach(({ id, stand }) => say(`${stand.type} ${id}`)),
      need: (id) => say(`need ${id}`),
      lost: (shard, reason) => say(`lost ${shard} ${reason}`),
      restored: (shard) => say(`restored ${shard}`),
      quarantined: ({ name }) => say(`quarantined ${name}`),
    },
  });
  const until = async (text: string) => {
    while (!said.includes(text)) await new Promise<void>((resolve) => (heard = resolve));
  };
  return { shards, said, until };
}

describe("the shard worker", () => {
  it("translates in a thread of its own", async () => {
    const { shards, said } = threads(new ThreadLinks({ count: 1, ...parts }), 1);
    await shards.start();
    shards.cluster("east", "uid-east");
    shards.offer(applied("a", performance.now()));
    expect(await shards.settle("east", "pods")).toBe(true);
    expect(said).toEqual([expect.stringMatching(/^live t-[0-9a-f]{40}$/)]);
    const id = said[0]?.slice(5) ?? "";
    const answer = await shards.want(identity("a"), id, "upstream");
    expect(answer).toMatchObject({ type: "body", id, resource: "upstream", nodes: 1 });
    // An answer goes out before its cost is written down: that of the one before is there by now.
    await shards.explain({ by: "problems" });
    expect(shards.cpu).toBeGreaterThan(0);
    await shards.stop();
  });
});

describe("a worker thread that fails", () => {
  const objects = Array.from({ length: 20 }, (_, index) => ({
    ...applied(`a${index}`),
    namespace: `team-${index}`,
  }));
  const workerFile = new URL("faulty-worker.ts", import.meta.url);
  const links = new ThreadLinks({
    ...{ count: 2, ...parts, workerFile },
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  const { shards, said, until } = threads(links, 2, objects);
  const place = objects.find((object) => shards.shardOf(placeOf(object)!) === 0);
  const at = identity("a", { namespace: place?.namespace ?? "" });
  const other = objects.find((object) => shards.shardOf(placeOf(object)!) === 1);

  beforeAll(() => shards.start());
  afterAll(() => shards.stop());

  it.each([
    ["exit", "exit"],
    ["throw", "error"],
    ["end", "exit"],
    ["memory", "memory"],
  ])(
    "by %s is lost with reason %s, and a new one, empty at first, gets everything again",
    async (how, reason) => {
      said.length = 0;
      const want = shards.want(at, how, "upstream");
      expect(await want).toEqual({ type: "stale", id: how, resource: "upstream" });
      expect(said).toEqual([`lost 0 ${reason}`]);
      expect(shards.isUp(at)).toBe(false);
      expect(shards.isUp(identity("a", { namespace: other?.namespace ?? "" }))).toBe(true);
      await until("restored 0");
      expect(
        said.every(
          (text) => text.startsWith("frozen t-") || text.endsWith(` 0 ${reason}`) || text === "restored 0",
        ),
      ).toBe(true);
      const held = await shards.explain({ by: "problems" });
      expect(held.map(({ name }) => name).toSorted()).toEqual(objects.map(({ name }) => name).toSorted());
    },
  );

  it("by an endless loop is ended and replaced", async () => {
    const alone = new ThreadLinks({ count: 1, ...parts, workerFile });
    const hanging = threads(alone, 1, objects, 1000);
    await hanging.shards.start();
    hanging.said.length = 0;
    expect((await hanging.shards.want(at, "loop", "upstream")).type).toBe("stale");
    expect(hanging.said).toEqual(["lost 0 hang"]);
    await hanging.until("restored 0");
    await hanging.shards.stop();
  });

  it("messages of another epoch are dropped unread", async () => {
    expect(await shards.want(at, "epoch", "route")).toEqual({ type: "same", id: "epoch", resource: "route" });
  });
});

describe("a worker thread that does not start", () => {
  it.each([
    ["because it does not load", new URL("broken-worker.ts", import.meta.url), 60_000],
    ["because it is not there", new URL("no-such-worker.ts", import.meta.url), 60_000],
    ["in time", new URL("silent-worker.ts", import.meta.url), 50],
  ])("%s: the start is refused with SHARD_LOST", async (_, workerFile, startDeadline) => {
    const links = new ThreadLinks({ count: 1, ...parts, workerFile, startDeadline });
    const { shards } = threads(links, 1);
    await expect(shards.start()).rejects.toMatchObject({ code: "SHARD_LOST" });
    await shards.stop();
  });
});
