import { describe, expect, test } from "vitest";
import { hostsOf, identityOf, oneBurst, standing, want } from "./scenario.ts";
import { shapeOf, World } from "./world.ts";

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

  test("the end of a block ends the wait after a refusal too", () => {
    const world = new World(identityOf);
    want(world, "a", ["h1"]);
    world.start();
    world.send();
    world.answer(0, "refused");
    world.finishBurst();
    world.block("a", true);
    world.block("a", false);
    expect(oneBurst(world)).toEqual(["grant a h1 /*"]);
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

  test("so does one that comes after a look has ended the wait for the answer", () => {
    const world = standing({ a: ["h1"] });
    want(world, "a", ["h2"], { version: 2 });
    world.start();
    world.send();
    world.readBack("a");
    world.leave("a", false);
    world.answer(0, "refused");
    world.finishBurst();
    expect(oneBurst(world)).toEqual(["delete a (leaving)"]);
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

  test("what any of several lost attempts may have written stays taken, also while another is on its way", () => {
    const world = standing({ a: ["h1"] });
    for (const [at, host] of ["h2", "h3"].entries()) {
      want(world, "a", [host], { version: 2 + at });
      world.start();
      world.send();
      world.answer(0, "lostLate");
      world.finishBurst();
    }
    want(world, "a", ["h4"], { version: 4 });
    for (const host of ["h1", "h2", "h3", "h4"]) want(world, `b-${host}`, [host]);
    world.start();
    world.send();
    expect(world.log.at(-1)).toBe("grant a h4 /*");
    want(world, "c", ["h2"]);
    world.finishBurst();
    expect(oneBurst(world)).toEqual([]);
    world.arriveLate(1);
    expect(hostsOf(world, "a")).toEqual(["h3"]);
  });

  test("a route that may stand elsewhere too yields nothing until it is read back", () => {
    const world = standing({ a: ["h1"], holder: ["h3"] });
    want(world, "a", ["h2"], { version: 2 });
    world.start();
    world.send();
    world.answer(0, "lostNever");
    world.finishBurst();
    want(world, "a", ["h3"], { version: 3 });
    want(world, "b", ["h1"]);
    expect(oneBurst(world)).toEqual([]);
    world.readBack("a");
    expect(oneBurst(world)).toEqual(["delete a (yield)", "grant b h1 /*"]);
  });

  test("one for which another was cut, and which was then refused, has no precedence later", () => {
    const world = standing({ yielding: ["h1"], holder: ["h2"] });
    want(world, "yielding", ["h2"], { version: 2 });
    want(world, "young", ["h1"], { created: 5 });
    world.start();
    world.send();
    world.answer(0, "ok");
    world.send();
    world.answer(0, "ok");
    world.send();
    world.answer(0, "refused");
    world.finishBurst();
    want(world, "young", ["h1"], { created: 5 });
    want(world, "old", ["h1"], { created: 1 });
    expect(oneBurst(world)).toEqual(["grant old h1 /*"]);
  });

  test("a claim that is held while it awaits gives up what it reserved", () => {
    const world = standing({ yielding: ["h1"], holder: ["h2"] });
    want(world, "yielding", ["h2"], { version: 2 });
    want(world, "old", ["h1", "free"], { created: 1 });
    want(world, "young", ["free"], { created: 2 });
    world.start();
    world.send();
    world.hold("old");
    world.finishBurst();
    expect(hostsOf(world, "young")).toEqual(["free"]);
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
