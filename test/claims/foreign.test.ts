import { describe, expect, test } from "vitest";
import { hostsOf, identityOf, oneBurst, standing, want } from "./scenario.ts";
import { World } from "./world.ts";

describe("foreign routes", () => {
  const foreign = (hosts: readonly string[], createdIndex = 1, id = "x") => ({
    id,
    hosts,
    uris: ["/*"],
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
    expect([...world.claims.intruders()].filter(Boolean)).toEqual([
      { pair: "h1 /*", foreign: "x", ours: "a" },
    ]);
    expect(world.claims.holder("h1 /*")).toEqual({ id: "a", foreign: false });
    want(world, "a", ["h1"], { version: 2 });
    expect(oneBurst(world)).toEqual(["grant a h1 /*"]);
  });

  test("a younger one on a pair of ours that may have been taken down meanwhile: ours is not written over it", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    world.leave("a", false);
    world.start();
    world.send();
    world.answer(0, "lostApplied");
    world.finishBurst();
    world.setForeign([foreign(["h1"], 1_000_000)]);
    want(world, "a", ["h1"], { version: 2 });
    expect(oneBurst(world)).toEqual([]);
    world.readBack("a");
    expect(world.claims.outcome("a").state).toBe("conflict");
  });

  test("one of ours whose createdIndex is unknown is not judged until it is read", () => {
    const world = standing({ a: ["h1"] });
    world.setForeign([foreign(["h1"])]);
    expect(world.claims.pending).toBe(false);
    expect([...world.claims.intruders()].filter(Boolean)).toEqual([]);
    world.readBack("a");
    expect(oneBurst(world)).toEqual(["delete a (foreign)"]);
  });

  test("a rewrite of ours changes nothing of its age", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    want(world, "a", ["h1"], { version: 2 });
    world.untilQuiet();
    world.setForeign([foreign(["h1"])]);
    expect(oneBurst(world)).toEqual(["delete a (foreign)"]);
  });

  test("one of ours that is about to move away need not step back first", () => {
    const world = standing({ a: ["h1"], b: ["h2"], holder: ["h3"] });
    world.readBack("a");
    want(world, "a", ["h2"], { version: 2 });
    want(world, "b", ["h3"], { version: 2 });
    world.setForeign([foreign(["h1"])]);
    expect(oneBurst(world)).toEqual(["delete b (yield)", "grant a h2 /*"]);
  });

  test("older ones on a pair that ours wants and on one that it does not: one delete does", () => {
    const world = standing({ a: ["h1", "h2"], holder: ["h3"] });
    world.readBack("a");
    want(world, "a", ["h2", "h3"], { version: 2 });
    world.setForeign([foreign(["h1", "h2"])]);
    expect(oneBurst(world)).toEqual(["delete a (foreign)"]);
  });

  test("one of ours that may stand elsewhere too does not step back until it is read back", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    want(world, "a", ["h2"], { version: 2 });
    world.start();
    world.send();
    world.answer(0, "lostNever");
    world.finishBurst();
    world.setForeign([foreign(["h1", "h2"])]);
    want(world, "a", ["h2"], { version: 3 });
    expect(oneBurst(world)).toEqual([]);
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

  test("one of which a part is out of sight does not step back until it is seen", () => {
    const world = standing({ a: ["h1"] });
    world.readBack("a");
    world.claims.block("a", false, true);
    world.setForeign([foreign(["h1"])]);
    expect(oneBurst(world)).toEqual([]);
    expect(world.claims.outcome("a").state).toBe("conflict");
    world.claims.block("a", false);
    expect(oneBurst(world)).toEqual(["delete a (foreign)"]);
  });

  test("an id of ours under which a foreign object stands is neither written nor deleted", () => {
    const world = standing({ b: ["h2"] });
    want(world, "a", ["h1"]);
    world.claims.setForeign([], { upstream: ["a"], route: ["b"] });
    world.leave("b", false);
    expect(oneBurst(world)).toEqual([]);
    expect(world.claims.outcome("a")).toEqual({
      state: "conflict",
      blockers: [{ pair: "h1 /*", by: "a", foreign: true }],
    });
    world.claims.setForeign([]);
    expect(oneBurst(world)).toEqual(["delete b (leaving)", "grant a h1 /*"]);
  });

  test("a foreign object under an id of ours makes that id neither step back nor yield", () => {
    const world = standing({ a: ["h1"], b: ["h2"] });
    for (const id of ["a", "b"]) world.readBack(id);
    world.claims.setForeign([foreign(["h1"], 1, "a"), foreign([], 1, "b")]);
    world.leave("b", true);
    want(world, "c", ["h2"]);
    want(world, "a", ["h1"], { version: 2 });
    expect(oneBurst(world)).toEqual([]);
  });
});
