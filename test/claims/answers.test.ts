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

test("what was read back of a route needs not be as declared: it is written whole again", () => {
  const world = standing({ a: ["h1", "h2"] });
  const found = world.gateway.routes.get("a");
  if (found === undefined) throw new Error("a does not stand");
  world.gateway.routes.set("a", { ...found, shape: shapeOf(["h1 /*"]) });
  world.readBack("a");
  expect(oneBurst(world)).toEqual(["grant a h1 /*,h2 /*"]);
});
