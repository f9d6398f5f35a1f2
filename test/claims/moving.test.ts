import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostsOf, identityOf, oneBurst, standing, want } from "./scenario.ts";

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
          expect(world.rounds).toBeLessThanOrEqual(size + 3);
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
    world.answer(0, "ok");
    world.send();
    world.answer(0, "refused");
    world.finishBurst();
    expect(world.log).toEqual(["delete yielding (yield)", "grant young free /*"]);
  });

  test("a round that is asked for too early, with requests on their way, makes nobody yield", () => {
    const world = standing({ a: ["h1"], b: ["h2"] });
    want(world, "a", ["h2"], { version: 2 });
    want(world, "b", ["h3"], { version: 2 });
    world.start();
    expect(world.claims.nextRound().grants).toHaveLength(1);
    expect(world.claims.nextRound()).toEqual({ cuts: [], grants: [] });
  });

  test("a pair that passes from one of ours to another within a burst is not fresh", () => {
    const world = standing({ a: ["h1"] });
    want(world, "b", ["h1"]);
    world.leave("a", false);
    world.start();
    world.send();
    world.answer(0, "ok");
    expect(world.claims.nextRound().grants).toEqual([{ id: "b", pairs: ["h1 /*"], fresh: false }]);
  });

  test("a pair that ours gave up in an earlier burst is fresh again", () => {
    const world = standing({ a: ["h1"] });
    world.leave("a", false);
    world.untilQuiet();
    want(world, "b", ["h1"]);
    world.start();
    expect(world.claims.nextRound().grants).toEqual([{ id: "b", pairs: ["h1 /*"], fresh: true }]);
  });

  test("pairs that are not sorted are taken as they are meant", () => {
    const world = standing({ a: ["h1", "h2"] });
    const pairs = ["h2 /*", "h1 /*", "h2 /*"];
    const age = { created: 0, cluster: "c", namespace: "n", name: "a" };
    world.claims.want({ id: "a", identity: identityOf("a"), age, pairs, inherits: false, dirty: false });
    expect(world.claims.outcome("a")).toEqual({ state: "holds", pairs: ["h1 /*", "h2 /*"] });
    expect(world.claims.pending).toBe(false);
  });
});
