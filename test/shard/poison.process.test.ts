import { expect, it } from "vitest";
import { idOf } from "../../src/apisix/identity.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";
import { DoingWriter, newDoing, readDoing } from "../../src/shard/doing.ts";
import { Shards } from "../../src/shard/shards.ts";
import { ThreadLinks } from "../../src/shard/thread-links.ts";
import { options } from "./fleet.ts";
import { applied, identity } from "./objects.ts";

const parts = { clock: systemClock, log: silentLog };
const workerFile = new URL("poisoned-worker.ts", import.meta.url);

/** One shard on a real thread that is poisoned by objects named so. */
function poisoned(names: readonly string[], patience: number) {
  const said: string[] = [];
  let heard = (): void => {};
  const say = (text: string): void => {
    said.push(text);
    heard();
  };
  const links = new ThreadLinks({
    ...{ count: 1, ...parts, workerFile },
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  const objects = names.map((name) => applied(name));
  const shards: Shards = new Shards({
    ...{ count: 1, options, links, ...parts, patience },
    objectsOf: () => objects,
    knownOf: () => [],
    on: {
      ...{ nodes() {}, parts() {}, changes: (changes) => changes.forEach(({ id }) => say(`change ${id}`)) },
      need: () => {},
      lost: (_, reason) => say(`lost ${reason}`),
      restored: () => say("restored"),
      quarantined: ({ name }) => say(`quarantined ${name}`),
    },
  });
  const until = async (text: string): Promise<void> => {
    while (!said.includes(text)) await new Promise<void>((resolve) => (heard = resolve));
  };
  return { shards, said, until };
}

// Real threads start when a busy machine lets them.
const timeout = 60_000;

it.each([
  ["throw", "error", 60_000],
  ["loop", "hang", 500],
  ["memory", "memory", 60_000],
])(
  "an object that ends its shard by %s when its cluster is settled is found and kept from it; others are well",
  { timeout },
  async (how, reason, patience) => {
    const poison = `poison-judge-${how}`;
    const { shards, said, until } = poisoned(["a", poison, "b"], patience);
    await shards.start();
    shards.cluster("east", "uid-east");
    const settled = shards.settle("east", "pods");
    await until(`quarantined ${poison}`);
    expect(await settled).toBe(true);
    expect(said.filter((text) => text === `lost ${reason}`)).toHaveLength(2);
    expect(shards.quarantined().map(({ name }) => name)).toEqual([poison]);
    await until("restored");
    expect(shards.isUp(identity("a"))).toBe(true);
    expect(shards.isUp(identity(poison))).toBe(false);
    const want = await shards.want(identity("a"), idOf("default", identity("a")), "upstream");
    expect(want.type).toBe("body");
    await shards.stop();
  },
);

it(
  "an object that ends its shard whenever its body is wanted is found, though the shard is restored in between",
  { timeout },
  async () => {
    const poison = "poison-want-throw";
    const { shards, said, until } = poisoned(["a", poison], 60_000);
    await shards.start();
    shards.cluster("east", "uid-east");
    await shards.settle("east", "pods");
    const ask = () => shards.want(identity(poison), idOf("default", identity(poison)), "upstream");
    expect((await ask()).type).toBe("stale");
    await until("restored");
    said.length = 0;
    expect((await ask()).type).toBe("stale");
    await until("restored");
    expect(said).toContain(`quarantined ${poison}`);
    expect(shards.isUp(identity("a"))).toBe(true);
    await shards.stop();
  },
);

it("what a shard works on is read whatever its thread has left there", () => {
  const shared = newDoing();
  const writer = new DoingWriter(shared);
  expect(readDoing(shared)).toEqual([]);
  const one = { cluster: "east", kind: "pods", namespace: "shop", name: "a" } as const;
  writer.begin(Array.from({ length: 40 }, () => one));
  expect(readDoing(shared)).toHaveLength(32);
  writer.end();
  expect(readDoing(shared)).toEqual([]);
  new Int32Array(shared, 0, 1)[0] = -5;
  expect(readDoing(shared)).toEqual([]);
  new Int32Array(shared, 0, 1)[0] = 2 ** 31 - 1;
  expect(readDoing(shared).length).toBeLessThanOrEqual(32);
});
