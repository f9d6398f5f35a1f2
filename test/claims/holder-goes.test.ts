import { describe, expect, test } from "vitest";
import { hostsOf, identityOf, oneBurst, standing, want } from "./scenario.ts";
import { World } from "./world.ts";

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
