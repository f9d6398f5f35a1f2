import { describe, expect, test } from "vitest";
import { hostsOf, identityOf, oneBurst, standing, want } from "./scenario.ts";
import { World } from "./world.ts";

/** Routes as a look at APISIX found them, whatever they stand on. */
function found(routes: Record<string, readonly string[]>): World {
  const world = new World(identityOf);
  for (const [id, hosts] of Object.entries(routes)) {
    world.gateway.routes.set(id, { shape: { hosts, uris: ["/*"] }, version: 1, createdIndex: 1 });
    world.readBack(id);
  }
  return world;
}

/** Somebody put the route of `id` on these hosts, and it was seen. */
function edited(world: World, id: string, hosts: readonly string[]): void {
  const route = world.gateway.routes.get(id);
  if (route === undefined) throw new Error(`${id} does not stand`);
  world.gateway.routes.set(id, { ...route, shape: { hosts, uris: ["/*"] } });
  world.readBack(id);
}

describe("two routes of ours are found on one pair", () => {
  test("both want it: the younger goes", () => {
    const world = found({ young: ["h1"], old: ["h1"] });
    want(world, "young", ["h1"], { created: 2 });
    want(world, "old", ["h1"], { created: 1 });
    expect(oneBurst(world)).toEqual(["delete young (yield)"]);
    expect(world.claims.outcome("young").state).toBe("conflict");
  });

  test("one does not want it: that one goes, though it be older", () => {
    const world = found({ young: ["h1"], old: ["h1"], holder: ["h2"] });
    want(world, "holder", ["h2"]);
    want(world, "young", ["h1"], { created: 2 });
    want(world, "old", ["h2"], { created: 1 });
    expect(oneBurst(world)).toEqual(["delete old (yield)"]);
  });

  test("one leaves: it goes before its grace is over", () => {
    const world = found({ a: ["h1"], b: ["h1"] });
    world.leave("a", true);
    want(world, "b", ["h1"]);
    expect(oneBurst(world)).toEqual(["delete a (yield)"]);
  });

  test("it is not known yet what one of them wants: neither goes", () => {
    const world = found({ a: ["h1"], b: ["h1"] });
    want(world, "b", ["h1"]);
    expect(oneBurst(world)).toEqual([]);
    want(world, "a", ["h1"]);
    expect(oneBurst(world)).toEqual(["delete b (yield)"]);
    expect(hostsOf(world, "a")).toEqual(["h1"]);
  });

  test("the older one may not be written now: neither goes", () => {
    const world = found({ a: ["h1"], b: ["h1"] });
    want(world, "a", ["h1"], { created: 1 });
    want(world, "b", ["h1"], { created: 2 });
    world.block("a", true);
    expect(oneBurst(world)).toEqual([]);
    world.block("a", false);
    expect(oneBurst(world)).toEqual(["delete b (yield)"]);
  });

  test("of one a part is out of sight: it does not go, and the other goes for it", () => {
    const world = found({ a: ["h1"], b: ["h1"] });
    want(world, "a", ["h1"], { created: 1 });
    want(world, "b", ["h1"], { created: 2 });
    world.claims.block("b", false, true);
    expect(oneBurst(world)).toEqual([]);
    world.claims.block("b", false);
    world.claims.block("a", false, true);
    expect(oneBurst(world)).toEqual(["delete b (yield)"]);
  });

  test("one is written onto another pair: it goes there at once", () => {
    const world = found({ a: ["h1"], b: ["h1"] });
    want(world, "a", ["h1"]);
    want(world, "b", ["h2"], { version: 2 });
    expect(oneBurst(world)).toEqual(["grant b h2 /*"]);
  });

  test("one that awaited pairs and must step back instead frees those that it reserved", () => {
    const world = found({ a: ["h3"], d: ["h5", "h4"], e: ["h2", "h4"], c: ["h2", "h5"] });
    want(world, "c", ["h1", "h2", "h4"], { created: 1 });
    want(world, "d", ["h1", "h3", "free"], { created: 2 });
    want(world, "e", ["h2", "h4"], { created: 3 });
    want(world, "a", ["free"], { created: 4 });
    world.untilQuiet();
    expect(world.claims.outcome("a")).toEqual({ state: "holds", pairs: ["free /*"] });
  });
});

describe("somebody puts a route of ours on a pair of another", () => {
  test("that one leaves: it keeps its pairs while its grace lasts, and the other goes back to its own", () => {
    const world = standing({ a: ["h1", "h2"], b: ["h3"] });
    world.leave("a", true);
    edited(world, "b", ["h2"]);
    want(world, "b", ["h3"], { version: 2 });
    expect(oneBurst(world)).toEqual(["grant b h3 /*"]);
    expect(hostsOf(world, "a")).toEqual(["h1", "h2"]);
  });

  test("that one leaves, and the other's own pair is taken: the other goes", () => {
    const world = standing({ a: ["h1"], b: ["h3"] });
    world.leave("a", true);
    edited(world, "b", ["h1"]);
    want(world, "b", ["h3"], { created: 2, version: 2 });
    want(world, "c", ["h3"], { created: 1 });
    expect(oneBurst(world)).toEqual(["delete b (yield)", "grant c h3 /*"]);
    expect(hostsOf(world, "a")).toEqual(["h1"]);
  });

  test("that one leaves too, and its grace is over: it alone goes", () => {
    const world = standing({ a: ["h1"], b: ["h2"] });
    world.leave("b", true);
    edited(world, "a", ["h2"]);
    world.leave("a", false);
    expect(oneBurst(world)).toEqual(["delete a (leaving)"]);
  });

  test("it is itself one that leaves: it goes, though that one wants other pairs", () => {
    const world = standing({ a: ["h1"], b: ["h2"], holder: ["h3"] });
    want(world, "b", ["h3"], { version: 2 });
    world.leave("a", true);
    edited(world, "a", ["h2"]);
    expect(oneBurst(world)).toEqual(["delete a (yield)"]);
    expect(hostsOf(world, "b")).toEqual(["h2"]);
  });
});
