import { describe, expect, test } from "vitest";
import { hostsOf, identityOf, oneBurst, standing, want } from "./scenario.ts";
import { World } from "./world.ts";

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

  test("a new word on a candidate of the burst keeps its turn", () => {
    const world = new World(identityOf);
    want(world, "a", ["shop"]);
    world.start();
    want(world, "a", ["blog"], { version: 2 });
    world.finishBurst();
    expect(world.log).toEqual(["grant a blog /*"]);
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

  test("a challenger that was promoted is written again when it changes", () => {
    const world = standing({ a: ["h1"] });
    want(world, "b", ["h1"]);
    oneBurst(world);
    world.leave("a", false);
    world.start();
    world.send();
    world.answer(0, "ok");
    expect(world.claims.waiting("h1 /*")).toEqual([]);
    world.finishBurst();
    want(world, "b", ["h1"], { version: 2 });
    expect(oneBurst(world)).toEqual(["grant b h1 /*"]);
  });

  test("a claim in conflict that is held or blocked no longer waits", () => {
    const world = standing({ a: ["h1"] });
    want(world, "b", ["h1"]);
    want(world, "c", ["h1"]);
    oneBurst(world);
    world.block("b", true);
    world.hold("c");
    expect(world.claims.waiting("h1 /*")).toEqual([]);
    world.leave("a", false);
    expect(oneBurst(world)).toEqual(["delete a (leaving)"]);
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
