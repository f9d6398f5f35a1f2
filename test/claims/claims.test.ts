import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Identity } from "../../src/apisix/types.ts";
import type { Claim } from "../../src/claims/claim.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import { identity, shapeOf, World } from "./world.ts";

type Options = Partial<Pick<Claim, "inherits">> & { readonly created?: number; readonly version?: number };

/** Ids are `cluster/namespace/name`, or `namespace/name` for a fleet group. */
function identityOf(id: string): Identity {
  const [name = "", namespace = "n", cluster] = id.split("/").toReversed();
  return cluster === undefined && id.includes("/")
    ? identity({ share: "fleet", cluster: "", namespace, name: "", route: name })
    : identity({ cluster: cluster ?? "c", namespace, name });
}

function want(world: World, id: string, hosts: readonly string[], options: Options = {}): void {
  const { created = 0, inherits = false, version } = options;
  const { cluster, namespace, name } = identityOf(id);
  world.want(
    { id, pairs: pairsOf(hosts, ["/*"]), inherits, age: { created, cluster, namespace, name } },
    version,
  );
}

/** A world in which these ids hold these hosts. */
function standing(routes: Record<string, readonly string[]>): World {
  const world = new World(identityOf);
  for (const [id, hosts] of Object.entries(routes)) want(world, id, hosts);
  world.untilQuiet();
  world.log.length = 0;
  for (const [id, hosts] of Object.entries(routes)) expect(hostsOf(world, id)).toEqual(hosts);
  return world;
}

function hostsOf(world: World, id: string): readonly string[] {
  return world.gateway.routes.get(id)?.shape.hosts ?? [];
}

function oneBurst(world: World): readonly string[] {
  world.log.length = 0;
  world.start();
  world.finishBurst();
  return [...world.log];
}

describe("who gets a pair", () => {
  test("M7: two claims of the same second: the first cluster by name, whoever came first", () => {
    for (const ids of [
      ["c1/n/a", "c2/n/a"],
      ["c2/n/a", "c1/n/a"],
    ]) {
      const world = new World(identityOf);
      for (const id of ids) want(world, id, ["shop"]);
      expect(oneBurst(world)).toEqual(["grant c1/n/a shop /*"]);
      expect(world.claims.outcome("c2/n/a")).toEqual({
        state: "conflict",
        blockers: [{ pair: "shop /*", by: "c1/n/a", foreign: false }],
      });
      expect(world.claims.waiting("shop /*")).toEqual(["c2/n/a"]);
      expect(world.claims.holder("shop /*")).toEqual({ id: "c1/n/a", foreign: false });
    }
  });

  test("an established route stays though an older one comes", () => {
    const world = standing({ young: ["shop"] });
    want(world, "old", ["shop"], { created: -5 });
    expect(oneBurst(world)).toEqual([]);
    expect(hostsOf(world, "young")).toEqual(["shop"]);
  });

  test("a claim that comes during a burst waits for the next, however old", () => {
    const world = new World(identityOf);
    want(world, "b", ["shop"]);
    world.start();
    want(world, "a", ["blog"], { created: -9 });
    world.finishBurst();
    expect(world.log).toEqual(["grant b shop /*"]);
    expect(oneBurst(world)).toEqual(["grant a blog /*"]);
  });

  test("a route is granted all of its pairs or none", () => {
    const world = standing({ a: ["h1"] });
    want(world, "b", ["h1", "h2"]);
    want(world, "c", ["h2"], { created: 7 });
    expect(oneBurst(world)).toEqual(["grant c h2 /*"]);
  });

  test("a first grant says that it takes fresh pairs, a rewrite does not", () => {
    const world = new World(identityOf);
    want(world, "a", ["h1"]);
    expect(world.claims.takesFresh).toBe(true);
    world.start();
    expect(world.claims.nextRound().grants).toEqual([{ id: "a", pairs: ["h1 /*"], fresh: true }]);
    world.claims.stands("a", identityOf("a"), { hosts: ["h1"], uris: ["/*"] });
    want(world, "a", ["h1"], { version: 2 });
    expect(world.claims.takesFresh).toBe(false);
    world.start();
    expect(world.claims.nextRound().grants).toEqual([{ id: "a", pairs: ["h1 /*"], fresh: false }]);
  });

  test("a claim that says again what stands does nothing", () => {
    const world = standing({ a: ["h1"] });
    want(world, "a", ["h1"]);
    expect(world.claims.pending).toBe(false);
    expect(world.claims.outcome("a")).toEqual({ state: "holds", pairs: ["h1 /*"] });
  });

  test("a claim in conflict that says the same again costs no burst", () => {
    const world = standing({ a: ["h1"] });
    want(world, "b", ["h1"]);
    oneBurst(world);
    want(world, "b", ["h1"], { version: 3 });
    expect(world.claims.pending).toBe(false);
    world.leave("a", false);
    expect(oneBurst(world)).toEqual(["delete a (leaving)", "grant b h1 /*"]);
  });

  test("of a pair with many waiting the first hundred are named, in their order", () => {
    const world = standing({ holder: ["h1"] });
    for (let at = 0; at < 300; at++) want(world, `w${at}`, ["h1"], { created: 300 - at });
    oneBurst(world);
    const named = world.claims.waiting("h1 /*");
    expect(named).toHaveLength(100);
    expect(named.slice(0, 2)).toEqual(["w299", "w298"]);
  });
});

describe("when a holder goes", () => {
  test("M7: the winner is edited away: its challenger is promoted in the same burst", () => {
    const world = standing({ a: ["shop"] });
    want(world, "b", ["shop"]);
    oneBurst(world);
    want(world, "a", ["other"], { version: 2 });
    expect(oneBurst(world)).toEqual(["grant a other /*", "grant b shop /*"]);
  });

  test("M7: the winner's declaration is taken out: its challenger is promoted in the same burst", () => {
    const world = standing({ a: ["shop"] });
    want(world, "young", ["shop"], { created: 2 });
    want(world, "old", ["shop"], { created: 1 });
    oneBurst(world);
    world.leave("a", false);
    expect(oneBurst(world)).toEqual(["delete a (leaving)", "grant old shop /*"]);
  });

  test("M7: the winner's object is gone: a stranger waits until the grace is over", () => {
    const world = standing({ "c1/n/a": ["shop"] });
    want(world, "c2/n/b", ["shop"]);
    want(world, "c1/m/b", ["shop"], { created: 2 });
    oneBurst(world);
    world.leave("c1/n/a", true);
    expect(world.claims.pending).toBe(false);
    expect(world.claims.outcome("c2/n/b").state).toBe("conflict");
    world.leave("c1/n/a", false);
    expect(oneBurst(world)).toEqual(["delete c1/n/a (leaving)", "grant c2/n/b shop /*"]);
  });

  test("its own namespace does not wait out the grace, nor does an older stranger go before it", () => {
    const world = standing({ "c1/n/a": ["shop"] });
    want(world, "c2/n/old", ["shop"], { created: -1 });
    want(world, "c1/n/renamed", ["shop"], { created: 5 });
    oneBurst(world);
    world.leave("c1/n/a", true);
    expect(oneBurst(world)).toEqual(["delete c1/n/a (yield)", "grant c1/n/renamed shop /*"]);
  });

  test("a fleet group's namespace is the same in every cluster", () => {
    const world = standing({ "n/fleet": ["shop"], "c1/n/a": ["blog"] });
    want(world, "c2/n/b", ["shop"]);
    want(world, "n/other", ["blog"]);
    want(world, "m/stranger", ["shop"], { created: -1 });
    oneBurst(world);
    world.leave("n/fleet", true);
    world.leave("c1/n/a", true);
    oneBurst(world);
    expect(hostsOf(world, "c2/n/b")).toEqual(["shop"]);
    expect(hostsOf(world, "n/other")).toEqual(["blog"]);
  });

  test("a renamed route takes over in one burst, ahead of older challengers", () => {
    const world = standing({ before: ["shop"] });
    want(world, "old", ["shop"], { created: -5 });
    oneBurst(world);
    world.leave("before", false);
    want(world, "after", ["shop"], { created: 9, inherits: true });
    expect(oneBurst(world)).toEqual(["delete before (leaving)", "grant after shop /*"]);
    expect(world.claims.waiting("shop /*")).toEqual(["old"]);
  });

  test("one whose source comes back within its grace writes nothing", () => {
    const world = standing({ a: ["shop"] });
    world.leave("a", true);
    want(world, "a", ["shop"]);
    expect(world.claims.pending).toBe(false);
  });

  test("one that is held or whose cluster is degraded keeps its pairs, also those it wants no more", () => {
    const world = standing({ held: ["h1"], degraded: ["h2", "h3"] });
    world.hold("held");
    want(world, "degraded", ["h3"], { version: 2 });
    world.block("degraded", true);
    want(world, "a", ["h1"]);
    want(world, "b", ["h2"]);
    expect(oneBurst(world)).toEqual([]);
    world.block("degraded", false);
    world.leave("held", false);
    expect(oneBurst(world)).toEqual([
      "delete held (leaving)",
      "grant degraded h3 /*",
      "grant a h1 /*",
      "grant b h2 /*",
    ]);
  });

  test("one that is blocked before it stands reserves nothing", () => {
    const world = new World(identityOf);
    world.block("a", true);
    want(world, "a", ["h1"]);
    want(world, "b", ["h1"], { created: 3 });
    expect(oneBurst(world)).toEqual(["grant b h1 /*"]);
  });
});

describe("routes that move", () => {
  test("M9: two routes swap hosts: the younger is taken down first, both end on the new ones", () => {
    const world = standing({ old: ["h1"], young: ["h2"] });
    want(world, "old", ["h2"], { created: 1, version: 2 });
    want(world, "young", ["h1"], { created: 2, version: 2 });
    expect(oneBurst(world)).toEqual(["delete young (yield)", "grant old h2 /*", "grant young h1 /*"]);
  });

  test("M9: a swap of one of several hosts keeps the others up throughout", () => {
    const world = standing({ old: ["h1", "keep1"], young: ["h2", "keep2"] });
    want(world, "old", ["h2", "keep1"], { created: 1, version: 2 });
    want(world, "young", ["h1", "keep2"], { created: 2, version: 2 });
    expect(oneBurst(world)).toEqual([
      "narrow young",
      "grant old h2 /*,keep1 /*",
      "grant young h1 /*,keep2 /*",
    ]);
  });

  test("M9: a ring of any length turns with one route taken down", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 9 }),
        fc.array(fc.nat(5), { minLength: 9, maxLength: 9 }),
        (size, ages) => {
          const ids = Array.from({ length: size }, (_, at) => `r${at}`);
          const world = standing(Object.fromEntries(ids.map((id, at) => [id, [`h${at}`]])));
          for (const [at, id] of ids.entries())
            want(world, id, [`h${(at + 1) % size}`], { created: ages[at] ?? 0, version: 2 });
          const log = oneBurst(world);
          for (const [at, id] of ids.entries()) expect(hostsOf(world, id)).toEqual([`h${(at + 1) % size}`]);
          expect(log.filter((line) => line.startsWith("delete"))).toHaveLength(1);
          expect(world.rounds).toBeLessThanOrEqual(size + 2);
          expect(world.claims.pending).toBe(false);
        },
      ),
    );
  });

  test("a chain whose end is free moves up without a route taken down", () => {
    const world = standing({ a: ["h1"], b: ["h2"], c: ["h3"] });
    want(world, "a", ["h2"], { version: 2 });
    want(world, "b", ["h3"], { version: 2 });
    want(world, "c", ["h4"], { version: 2 });
    expect(oneBurst(world)).toEqual(["grant c h4 /*", "grant b h3 /*", "grant a h2 /*"]);
  });

  test("an edited route in conflict keeps its old body, and yields what it wants no more", () => {
    const world = standing({ a: ["h1", "h2"], holder: ["h3"] });
    want(world, "a", ["h2", "h3"], { version: 2 });
    expect(oneBurst(world)).toEqual([]);
    expect(hostsOf(world, "a")).toEqual(["h1", "h2"]);
    want(world, "b", ["h1"]);
    expect(oneBurst(world)).toEqual(["narrow a", "grant b h1 /*"]);
    expect(hostsOf(world, "a")).toEqual(["h2"]);
    expect(world.claims.outcome("a").state).toBe("conflict");
  });

  test("a challenger that cannot have all of its pairs makes nobody yield", () => {
    const world = standing({ yielding: ["h1"], holder: ["h2"], kept: ["h3"] });
    want(world, "yielding", ["h2"], { version: 2 });
    want(world, "b", ["h1", "h3"]);
    expect(oneBurst(world)).toEqual([]);
    expect(hostsOf(world, "yielding")).toEqual(["h1"]);
  });

  test("a claim that awaits yielded pairs keeps a younger one from the free ones among them", () => {
    const world = standing({ yielding: ["h1"], holder: ["h2"] });
    want(world, "yielding", ["h2"], { version: 2 });
    want(world, "old", ["h1", "free"], { created: 1 });
    want(world, "young", ["free"], { created: 2 });
    expect(oneBurst(world)).toEqual(["delete yielding (yield)", "grant old free /*,h1 /*"]);
  });

  test("what an awaiting claim reserved is free again when its turn comes to nothing", () => {
    const world = standing({ yielding: ["h1"], holder: ["h2"] });
    want(world, "yielding", ["h2"], { version: 2 });
    want(world, "old", ["h1", "free"], { created: 1 });
    want(world, "young", ["free"], { created: 2 });
    world.start();
    world.send();
    world.answer(0, "refused");
    world.finishBurst();
    expect(world.log).toEqual(["delete yielding (yield)", "grant young free /*"]);
  });
});

describe("answers other than yes", () => {
  test("a refused route is not tried again before its next word, and its challenger is promoted in the same burst", () => {
    const world = new World(identityOf);
    want(world, "a", ["h1"]);
    want(world, "b", ["h1"], { created: 3 });
    world.start();
    world.send();
    world.answer(0, "refused");
    world.finishBurst();
    expect(world.log).toEqual(["grant a h1 /*", "grant b h1 /*"]);
    expect(world.claims.pending).toBe(false);
    expect(world.claims.outcome("a")).toEqual({ state: "none" });
  });

  test("a refused edit keeps what stands, yields none of it, and is tried again with its next word", () => {
    const world = standing({ a: ["h1"] });
    want(world, "a", ["h2"], { version: 2 });
    want(world, "b", ["h1"]);
    world.start();
    world.send();
    world.answer(0, "refused");
    world.finishBurst();
    expect(world.claims.outcome("a")).toEqual({ state: "holds", pairs: ["h1 /*"] });
    expect(world.claims.outcome("b").state).toBe("conflict");
    want(world, "a", ["h2"], { version: 3 });
    expect(oneBurst(world)).toEqual(["grant a h2 /*", "grant b h1 /*"]);
  });

  test("a word that comes while the request is on its way outlives its refusal", () => {
    const world = new World(identityOf);
    want(world, "a", ["h1"]);
    world.start();
    world.send();
    want(world, "a", ["h2"], { version: 2 });
    world.answer(0, "refused");
    world.finishBurst();
    expect(oneBurst(world)).toEqual(["grant a h2 /*"]);
  });

  test("a lost answer keeps both the old pairs and the new ones taken until it is read back", () => {
    const world = standing({ a: ["h1"] });
    want(world, "a", ["h2"], { version: 2 });
    world.start();
    world.send();
    world.answer(0, "lostApplied");
    world.finishBurst();
    want(world, "b", ["h1"]);
    want(world, "c", ["h2"]);
    expect(oneBurst(world)).toEqual([]);
    expect(world.claims.outcome("a")).toEqual({ state: "pending" });
    world.readBack("a");
    world.untilQuiet();
    expect(hostsOf(world, "b")).toEqual(["h1"]);
    expect(hostsOf(world, "a")).toEqual(["h2"]);
    expect(world.claims.outcome("c").state).toBe("conflict");
  });

  test("a lost delete that did not happen is sent again after the read", () => {
    const world = standing({ a: ["h1"] });
    world.leave("a", false);
    world.start();
    world.send();
    world.answer(0, "lostNever");
    world.finishBurst();
    expect(world.claims.pending).toBe(false);
    world.readBack("a");
    expect(oneBurst(world)).toEqual(["delete a (leaving)"]);
    expect(world.claims.outcome("a")).toEqual({ state: "none" });
  });

  test("a grant that was not sent comes again in the next burst, ahead of a younger one", () => {
    const world = new World(identityOf);
    want(world, "a", ["h1"]);
    want(world, "b", ["h1"], { created: 4 });
    world.start();
    world.send();
    world.answer(0, "unsent");
    world.finishBurst();
    expect(oneBurst(world)).toEqual(["grant a h1 /*"]);
  });

  test("what is forgotten while its request is on its way is deleted when that makes it stand", () => {
    const world = new World(identityOf);
    want(world, "a", ["h1"]);
    world.start();
    world.send();
    world.forget("a");
    world.finishBurst();
    expect(oneBurst(world)).toEqual(["delete a (leaving)"]);
  });

  test("an edit that is undone while it is being written is looked at again", () => {
    const world = standing({ a: ["h1"] });
    want(world, "a", ["h1"], { version: 2 });
    world.start();
    world.send();
    want(world, "a", ["h1"], { version: 1 });
    world.finishBurst();
    expect(oneBurst(world)).toEqual(["grant a h1 /*"]);
    expect(world.gateway.routes.get("a")?.version).toBe(1);
  });
});

describe("foreign routes", () => {
  const foreign = (hosts: readonly string[], createdIndex = 1, id = "x") => ({
    id,
    pairs: pairsOf(hosts, ["/*"]),
    createdIndex,
  });

  test("A6: a pair of theirs is a conflict until they are gone", () => {
    const world = new World(identityOf);
    world.setForeign([foreign(["h1"])]);
    want(world, "a", ["h1"]);
    expect(oneBurst(world)).toEqual([]);
    expect(world.claims.outcome("a")).toEqual({
      state: "conflict",
      blockers: [{ pair: "h1 /*", by: "x", foreign: true }],
    });
    expect(world.claims.holder("h1 /*")).toEqual({ id: "x", foreign: true });
    world.setForeign([]);
    expect(oneBurst(world)).toEqual(["grant a h1 /*"]);
  });

  test("an older one on a pair of ours: ours steps back and waits", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    world.setForeign([foreign(["h1"])]);
    expect(world.claims.outcome("a").state).toBe("conflict");
    expect(oneBurst(world)).toEqual(["delete a (foreign)"]);
    expect(world.claims.outcome("a").state).toBe("conflict");
    world.setForeign([]);
    expect(oneBurst(world)).toEqual(["grant a h1 /*"]);
  });

  test("the guard refuses to let ours step back: it stays and is not asked again before its next word", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    world.setForeign([foreign(["h1"])]);
    world.start();
    world.send();
    world.answer(0, "refused");
    world.finishBurst();
    expect(world.claims.pending).toBe(false);
    expect(hostsOf(world, "a")).toEqual(["h1"]);
  });

  test("an older one on a pair that ours wants no more narrows it", () => {
    const world = standing({ a: ["h1", "h2"], holder: ["h3"] });
    world.readBack("a");
    want(world, "a", ["h2", "h3"], { version: 2 });
    world.setForeign([foreign(["h1"])]);
    expect(oneBurst(world)).toEqual(["narrow a"]);
    expect(hostsOf(world, "a")).toEqual(["h2"]);
  });

  test("a younger one on a pair of ours is reported; ours stays and goes on being written", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    world.setForeign([foreign(["h1"], 1_000_000)]);
    expect(world.claims.pending).toBe(false);
    expect(world.claims.intruders()).toEqual([{ pair: "h1 /*", foreign: "x", ours: "a" }]);
    expect(world.claims.holder("h1 /*")).toEqual({ id: "a", foreign: false });
    want(world, "a", ["h1"], { version: 2 });
    expect(oneBurst(world)).toEqual(["grant a h1 /*"]);
  });

  test("one of ours whose createdIndex is unknown is not judged until it is read", () => {
    const world = standing({ a: ["h1"] });
    world.setForeign([foreign(["h1"])]);
    expect(world.claims.pending).toBe(false);
    expect(world.claims.intruders()).toEqual([]);
    world.readBack("a");
    expect(oneBurst(world)).toEqual(["delete a (foreign)"]);
  });

  test("one that is held does not step back", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    world.hold("a");
    world.setForeign([foreign(["h1"])]);
    expect(oneBurst(world)).toEqual([]);
  });

  test("an id of ours under which a foreign object stands is neither written nor deleted", () => {
    const world = standing({ b: ["h2"] });
    want(world, "a", ["h1"]);
    world.claims.setForeign([], ["a", "b"]);
    world.leave("b", false);
    expect(oneBurst(world)).toEqual([]);
    expect(world.claims.outcome("a")).toEqual({
      state: "conflict",
      blockers: [{ pair: "h1 /*", by: "a", foreign: true }],
    });
    world.claims.setForeign([]);
    expect(oneBurst(world)).toEqual(["delete b (leaving)", "grant a h1 /*"]);
  });
});

test("what was read back of a route needs not be as declared: it is written whole again", () => {
  const world = standing({ a: ["h1", "h2"] });
  const found = world.gateway.routes.get("a");
  if (found === undefined) throw new Error("a does not stand");
  world.gateway.routes.set("a", { ...found, shape: shapeOf(["h1 /*"]) });
  world.readBack("a");
  expect(oneBurst(world)).toEqual(["grant a h1 /*,h2 /*"]);
});
