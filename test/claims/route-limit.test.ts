import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Identity } from "../../src/apisix/types.ts";
import { RouteLimit } from "../../src/claims/route-limit.ts";
import type { Change, Stand } from "../../src/shard/change.ts";

const identityOf = (name: string, namespace = "shop", cluster = "east"): Identity => ({
  ...{ share: "none", cluster, kind: "pod", namespace, name, route: "web" },
});

function live(created: number, over: Partial<Extract<Stand, { type: "live" }>> = {}): Stand {
  return {
    ...{ type: "live", age: { created, cluster: "east", namespace: "shop", name: "x" } },
    ...{ pairs: ["a /*"], inherits: false, nodes: 1, bare: false, upstream: false, route: false },
    ...over,
  };
}

function word(id: string, stand: Stand, identity = identityOf(id)): Change {
  const counts = stand.type === "live" ? { Valid: 1 } : stand.type === "absent" ? {} : { Invalid: 1 };
  return { id, identity, counts, stand };
}

const gone: Stand = { type: "absent", grace: true, cause: "gone" };
const undeclared: Stand = { type: "absent", grace: false, cause: "undeclared" };
const frozen: Stand = { type: "frozen", nodes: 1, bare: false, upstream: false };

/** What the writer would hold, and whether each group stands. */
class World {
  readonly standing = new Set<string>();
  readonly words = new Map<string, Change>();
  readonly limit: RouteLimit;

  constructor(limit: number) {
    this.limit = new RouteLimit(limit, (id) => this.standing.has(id));
  }

  say(...changes: Change[]): string[] {
    return this.act(this.limit.take(changes));
  }

  act(changes: readonly Change[]): string[] {
    for (const change of changes) this.words.set(change.id, change);
    return changes.map(({ id, stand }) => `${id} ${stand.type}`);
  }

  limited(): string[] {
    return [...this.words.values()]
      .filter(({ limited }) => limited)
      .map(({ id }) => id)
      .toSorted();
  }
}

describe("the limit of routes in a namespace", () => {
  it("hands on every word as it is where there is none", () => {
    const world = new World(0);
    const changes = [word("a", live(1)), word("b", frozen)];
    expect(world.limit.take(changes)).toBe(changes);
  });

  it("forbids the youngest, whatever came first, and says which limit it is", () => {
    const world = new World(2);
    expect(world.say(word("c", live(3)), word("b", live(2)))).toEqual(["c live", "b live"]);
    expect(world.say(word("a", live(1)))).toEqual(["a live", "c nothing"]);
    expect(world.words.get("c")).toMatchObject({
      counts: { Forbidden: 1 },
      reason:
        "namespace shop of cluster east has more routes than policy.maxRoutesPerNamespace, 2, allows, and this is one of the youngest",
    });
    expect(world.say(word("d", live(9)))).toEqual(["d nothing"]);
  });

  it("counts each namespace of each cluster by itself", () => {
    const world = new World(1);
    world.say(
      word("a", live(1)),
      word("b", live(2), identityOf("b", "other")),
      word("c", live(3), identityOf("c", "shop", "west")),
    );
    expect(world.limited()).toEqual([]);
  });

  it("counts a group across clusters where its oldest member is, also when that moves", () => {
    const world = new World(1);
    const fleet: Identity = { ...identityOf(""), share: "fleet", cluster: "" };
    const at = (cluster: string, created: number): Stand =>
      live(created, { age: { created, cluster, namespace: "shop", name: "x" } });
    world.say(word("a", live(5)), word("f", at("east", 9), fleet));
    expect(world.limited()).toEqual(["f"]);
    expect(world.say(word("f", at("west", 9), fleet))).toEqual(["f live"]);
    expect(world.say(word("f", at("east", 2), fleet))).toEqual(["f live", "a nothing"]);
  });

  it("takes no place from what stands, and takes what stands away when it is lowered", () => {
    const world = new World(2);
    world.say(word("b", live(2)), word("c", live(3)));
    for (const id of ["b", "c"]) world.standing.add(id);
    expect(world.say(word("a", live(1)))).toEqual(["a nothing"]);
    expect(world.act(world.limit.configure(1, []))).toEqual(["a nothing", "c absent"]);
    expect(world.words.get("c")?.stand).toEqual({ type: "absent", grace: false, cause: "forbidden" });
    expect(world.words.get("a")?.reason).toContain("maxRoutesPerNamespace, 1,");
    world.standing.delete("c");
    expect(world.act(world.limit.forgotten("c"))).toEqual(["c nothing"]);
  });

  it("frees a place when its group has left APISIX, or is taken out of the annotation: the next word is that of the shard, to be written anew", () => {
    const world = new World(1);
    world.say(word("a", live(1)), word("b", live(2)), word("c", live(3)));
    world.standing.add("a");
    expect(world.say(word("a", gone))).toEqual(["a absent"]);
    expect(world.limited()).toEqual(["b", "c"]);
    world.standing.delete("a");
    expect(world.act(world.limit.forgotten("a"))).toEqual(["b live"]);
    expect(world.words.get("b")?.stand).toMatchObject({ type: "live", upstream: true, route: true });
    world.standing.add("b");
    expect(world.say(word("b", undeclared))).toEqual(["b absent", "c live"]);
  });

  it("leaves what is frozen its place, and judges it when it is live again", () => {
    const world = new World(1);
    world.standing.add("z");
    world.say(word("z", frozen), word("a", live(1)));
    expect(world.limited()).toEqual(["a"]);
    world.standing.delete("z");
    expect(world.say(word("z", live(9)))).toEqual(["z nothing", "a live"]);
  });

  it("keeps the place of what stands and of which no shard has spoken, and of a shard that is started again", () => {
    const world = new World(1);
    world.standing.add("old");
    world.limit.begin([{ id: "old", identity: identityOf("old"), change: undefined }]);
    expect(world.say(word("a", live(1)))).toEqual(["a nothing"]);
    expect(world.say(word("old", live(7)))).toEqual(["old live"]);
    world.limit.unhear(() => true);
    expect(world.say(word("a", live(1)))).toEqual(["a nothing"]);
    expect(world.act(world.limit.rehear(() => true))).toEqual([]);
    world.limit.unhear(() => true);
    world.standing.delete("old");
    expect(world.say(word("a", live(1)))).toEqual(["a nothing"]);
    expect(world.act(world.limit.rehear(() => true))).toEqual(["a live"]);
  });

  it("is switched on and off while running", () => {
    const world = new World(0);
    for (const [index, id] of ["a", "b", "c"].entries()) world.say(word(id, live(index)));
    world.standing.add("c");
    const groups = [...world.words.values()].map((change) => ({ ...change, change }));
    world.act(world.limit.configure(1, groups));
    expect(world.limited()).toEqual(["a", "b"]);
    expect(world.act(world.limit.configure(0, groups))).toEqual(["a live", "b live"]);
  });
});

const ids = ["a", "b", "c", "d"];
const step = fc.record({
  id: fc.constantFrom(...ids),
  namespace: fc.constantFrom("shop", "team"),
  kind: fc.constantFrom("live", "live", "live", "gone", "undeclared", "nothing", "frozen"),
  created: fc.integer({ min: 1, max: 4 }),
  written: fc.oneof(fc.constant([]), fc.array(fc.constantFrom(...ids), { maxLength: 2 })),
  limit: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.integer({ min: 0, max: 3 })),
});

it("whatever happened, the outcome is that of one who hears the last words in any order, and no more are admitted than there is room", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (steps, first) => {
      const world = new World(first);
      const said = new Map<string, Change>();
      let limit = first;
      for (const { id, namespace, kind, created, written, limit: changed } of steps) {
        const key = `${namespace}-${id}`;
        const stands = {
          gone,
          undeclared,
          frozen,
          nothing: { type: "nothing" },
          live: live(created),
        } as const;
        const change = word(key, stands[kind as keyof typeof stands], identityOf(key, namespace));
        // A group is frozen only where something of it stands.
        if (kind === "frozen" && !world.standing.has(key)) continue;
        said.set(key, change);
        world.say(change);
        if (changed !== null) {
          limit = changed;
          const groups = [...said.values()].map((last) => ({ ...last, change: last }));
          world.act(world.limit.configure(changed, groups));
        }
        // The writer writes what is admitted, and takes away what is not.
        for (const other of written) {
          const place = `${namespace}-${other}`;
          const last = world.words.get(place);
          if (last?.stand.type === "live") world.standing.add(place);
          else if (last?.stand.type !== "frozen" && world.standing.delete(place))
            world.act(world.limit.forgotten(place));
        }
        const fresh = new World(limit);
        for (const place of world.standing) fresh.standing.add(place);
        fresh.say(...[...said.values()].toReversed());
        expect(world.limited()).toEqual(fresh.limited());
        for (const each of ["shop", "team"]) {
          const admitted = [...world.words.values()].filter(
            ({ identity, stand }) => identity.namespace === each && stand.type === "live",
          );
          if (limit > 0) expect(admitted.length).toBeLessThanOrEqual(limit);
        }
      }
    }),
    { numRuns: 300 },
  );
});
