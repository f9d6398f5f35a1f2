import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostsOf, oneBurst, standing, want } from "./scenario.ts";
import type { World } from "./world.ts";
import { wrongVersion } from "./world.ts";

/** Both want the other's host; of these, APISIX refuses what they want. */
function swap(...wrong: readonly string[]): World {
  const world = standing({ old: ["h1"], young: ["h2"] });
  const version = (id: string): number => (wrong.includes(id) ? wrongVersion : 2);
  want(world, "old", ["h2"], { created: 1, version: version("old") });
  want(world, "young", ["h1"], { created: 2, version: version("young") });
  return world;
}

describe("routes of which APISIX refuses what they want", () => {
  test.each([[["old"]], [["young"]], [["old", "young"]]])(
    "a swap in which %j would be refused takes nobody down",
    (wrong) => {
      const world = swap(...wrong);
      expect(oneBurst(world)).toEqual([]);
      expect([hostsOf(world, "old"), hostsOf(world, "young")]).toEqual([["h1"], ["h2"]]);
      const good = wrong.length === 2 ? [] : ["old", "young"].filter((id) => !wrong.includes(id));
      for (const id of good) expect(world.claims.outcome(id).state).toBe("conflict");
      for (const id of wrong) expect(world.claims.outcome(id).state).toBe("holds");
    },
  );

  test("one that was refused before is not served when another asks for the swap, nor when it is tried again", () => {
    const world = standing({ old: ["h1"], young: ["h2"] });
    want(world, "old", ["h2"], { created: 1, version: wrongVersion });
    oneBurst(world);
    want(world, "young", ["h1"], { created: 2, version: 2 });
    expect(oneBurst(world)).toEqual([]);
    for (let again = 0; again < 3; again++) {
      world.block("old", true);
      world.block("old", false);
      expect(oneBurst(world)).toEqual([]);
      expect(world.claims.outcome("young").state).toBe("conflict");
    }
  });

  test("once it is put right, both end where they want to be", () => {
    const world = swap("old");
    oneBurst(world);
    want(world, "old", ["h2"], { created: 1, version: 2 });
    expect(oneBurst(world)).toEqual(["delete young (yield)", "grant old h2 /*", "grant young h1 /*"]);
  });

  test("one of several hosts is not given up to what would be refused", () => {
    const world = standing({ old: ["h1"], young: ["h2", "keep"] });
    want(world, "old", ["h2"], { created: 1, version: wrongVersion });
    want(world, "young", ["h1", "keep"], { created: 2, version: 2 });
    expect(oneBurst(world)).toEqual([]);
    expect(hostsOf(world, "young")).toEqual(["h2", "keep"]);
  });

  test("a route in conflict gives up nothing to a challenger that would be refused, and waits for none that is not asked for", () => {
    const world = standing({ yielding: ["h1"], holder: ["h2"] });
    want(world, "yielding", ["h2"], { version: 2 });
    want(world, "wrong", ["h1"], { created: 1, version: wrongVersion });
    want(world, "right", ["h1"], { created: 2 });
    expect(oneBurst(world)).toEqual(["delete yielding (yield)", "grant right h1 /*"]);
  });

  test("a check that has no answer is asked for again before anything is cut", () => {
    const world = swap();
    world.start();
    world.send();
    world.block("old", true);
    world.answer(0, "unsent");
    world.finishBurst();
    expect(world.log).toEqual([]);
    world.block("old", false);
    expect(oneBurst(world)).toEqual(["delete young (yield)", "grant old h2 /*", "grant young h1 /*"]);
  });

  test("what is edited while it is checked is checked as it is by then", () => {
    const world = swap();
    world.start();
    world.send();
    want(world, "old", ["h2"], { created: 1, version: wrongVersion });
    world.finishBurst();
    world.untilQuiet();
    expect([hostsOf(world, "old"), hostsOf(world, "young")]).toEqual([["h1"], ["h2"]]);
  });

  test("a route that a stranger's upstream keeps from all it wants is not asked about", () => {
    const world = standing({ old: ["h1"], young: ["h2"] });
    world.claims.occupy("young", "upstream");
    want(world, "old", ["h2"], { created: 1, version: 2 });
    want(world, "young", ["h1"], { created: 2, version: 2 });
    want(world, "other", ["h3"]);
    world.start();
    world.send();
    // It is not judged before the next burst.
    want(world, "young", ["h4"], { created: 2, version: 3 });
    world.answer(0, "ok");
    expect(world.claims.nextRound().checks?.map(({ id }) => id)).toEqual(["old"]);
    world.claims.accepted("old");
    expect(world.claims.nextRound().cuts).toEqual([{ type: "delete", id: "young", why: "yield" }]);
  });

  test("a leaving route gives way to its kin without a check", () => {
    const world = standing({ gone: ["h1"] });
    world.leave("gone", true);
    want(world, "heir", ["h1"]);
    world.start();
    expect(world.claims.nextRound()).toEqual({
      cuts: [{ type: "delete", id: "gone", why: "yield" }],
      grants: [],
    });
  });

  test("whatever hosts change hands and whoever is refused, nobody is down but whose host another has taken", () => {
    fc.assert(
      fc.property(anyMoves, ({ to, wrong, ages, kept }) => {
        const hosts = (at: number, host: number): string[] =>
          kept[at] === true ? [`h${host}`, `keep${at}`] : [`h${host}`];
        const world = standing(Object.fromEntries(to.map((_, at) => [`r${at}`, hosts(at, at)])));
        for (const [at, host] of to.entries()) {
          const version = wrong[at] === true ? wrongVersion : 2;
          want(world, `r${at}`, hosts(at, host), { created: ages[at] ?? 0, version });
        }
        world.untilQuiet();
        const taken = new Set(to.filter((_, at) => hostsOf(world, `r${at}`).includes(`h${to[at]}`)));
        for (const [at, host] of to.entries()) {
          const found = hostsOf(world, `r${at}`);
          if (moves(at, to, wrong)) expect(found).toEqual(hosts(at, host));
          else if (!taken.has(at))
            expect(found).toEqual(
              wrong[at] === true || !found.includes(`h${host}`) ? hosts(at, at) : hosts(at, host),
            );
          if (kept[at] === true) expect(found).toContain(`keep${at}`);
          if (to[host] === at) expect(found).not.toEqual([]);
        }
      }),
    );
  });
});

/** Each of some routes wants the host of another one, or a free one; nobody wants the same. */
const anyMoves = fc.integer({ min: 2, max: 7 }).chain((size) => {
  const each = { minLength: size, maxLength: size };
  const hosts = Array.from({ length: size + 1 }, (_, at) => at);
  return fc.record({
    to: fc.shuffledSubarray(hosts, each),
    wrong: fc.array(fc.boolean(), each),
    ages: fc.array(fc.nat(5), each),
    kept: fc.array(fc.boolean(), each),
  });
});

/** It is not refused, nor is anybody whose host has to be given up first. */
function moves(at: number, to: readonly number[], wrong: readonly boolean[]): boolean {
  const seen = new Set<number>();
  for (let next = at; next < to.length && !seen.has(next); next = to[next] ?? 0) {
    if (wrong[next] === true) return false;
    seen.add(next);
  }
  return true;
}
