import fc from "fast-check";
import { expect, test } from "vitest";
import { Claims } from "../../src/claims/claims.ts";
import { calmDown, expectQuiet, hearAnew } from "./quiet.ts";
import { act, anyAction, anyForeign, anyId, anyPairs, anyWant, identityOf, runs, want } from "./schedules.ts";
import type { Want } from "./schedules.ts";
import { identity, shapeOf, World } from "./world.ts";

/** Candidates that a round judges: one after the other, two at once, all. */
const anyPortion = fc.constantFrom(1, 2, 1000);

/** Foreign routes with several pairs are looked up by host, or every pair by itself. */
const anyUnfold = fc.constantFrom(0, 1, 100);

/** Milliseconds; only a schedule that never ends takes so long. */
const timeout = 120_000;

test(
  "at most one route of ours stands on a pair after each request, whatever is said, answered, lost or late",
  { timeout },
  () => {
    fc.assert(
      fc.property(
        fc.array(anyAction, { maxLength: 80 }),
        anyPortion,
        anyUnfold,
        (actions, portion, unfold) => {
          const world = new World(identityOf, portion, unfold);
          for (const action of actions) act(world, action);
          calmDown(world);
          expectQuiet(world);
        },
      ),
      { numRuns: runs(2000) },
    );
  },
);

test("a new leader that hears the same finds nothing to do", { timeout }, () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 60 }), anyPortion, (actions, portion) => {
      const world = new World(identityOf, portion);
      for (const action of actions) act(world, action);
      calmDown(world);
      expectQuiet(world);
      const again = hearAnew(world);
      const before = again.gateway.read();
      expect(again.untilQuiet()).toBe(0);
      expect(again.gateway.read()).toEqual(before);
      expectQuiet(again);
    }),
    { numRuns: runs(1000) },
  );
});

test(
  "M7: what is said before the first request leads to the same quiet state in any order",
  { timeout },
  () => {
    const wants = fc.uniqueArray(anyWant, { selector: ({ id }) => id, maxLength: 6 });
    const leaves = fc.array(fc.tuple(anyId, fc.constantFrom("leave", "grace", "hold")), { maxLength: 2 });
    fc.assert(
      fc.property(
        wants,
        wants,
        leaves,
        anyForeign,
        fc.infiniteStream(fc.nat()),
        anyPortion,
        anyUnfold,
        (old, now, gone, foreign, chance, portion, unfold) => {
          const start = new World(identityOf);
          for (const it of old) want(start, it);
          start.untilQuiet();
          const outcomes = [1, 2, 3].map(() => {
            const world = new World(identityOf, portion, unfold);
            for (const [id, route] of start.gateway.routes) world.gateway.routes.set(id, route);
            const said = new Map<string, () => void>();
            for (const it of now) said.set(it.id, () => want(world, it));
            for (const [id, how] of gone)
              said.set(id, () => {
                // Only what stands is said to leave.
                world.readBack(id);
                if (how === "hold") world.hold(id);
                else world.leave(id, how === "grace");
              });
            const calls = [...said.values(), () => world.setForeign(foreign)];
            for (const id of start.gateway.routes.keys()) calls.push(() => world.readBack(id));
            const shuffled = shuffle(calls, chance);
            for (const call of shuffled) call();
            world.untilQuiet((flights) => next(chance) % flights);
            return world.gateway.read();
          });
          expect(outcomes[1]).toEqual(outcomes[0]);
          expect(outcomes[2]).toEqual(outcomes[0]);
        },
      ),
      { numRuns: runs(1000) },
    );
  },
);

test(
  "two routes of ours found on one pair, a dead leader's last request: the one with less right goes",
  { timeout },
  () => {
    const wants = fc.uniqueArray(anyWant, { selector: ({ id }) => id, minLength: 2 });
    const standing = fc.uniqueArray(fc.tuple(anyId, anyPairs), { selector: ([id]) => id, minLength: 2 });
    fc.assert(
      fc.property(standing, wants, (found, declared) => {
        const world = new World(identityOf);
        for (const [id, pairs] of found) {
          world.gateway.routes.set(id, { shape: shapeOf(pairs), version: 1, createdIndex: 1 });
          world.readBack(id);
        }
        for (const it of declared) want(world, it);
        for (const [id] of found) if (!world.said.has(id)) world.leave(id, false);
        world.untilQuiet();
        for (const it of declared) {
          const isAlone = it.pairs.every((pair) => world.gateway.on(pair).join() === it.id);
          expect(world.claims.outcome(it.id).state).toBe(isAlone ? "holds" : "conflict");
          expect(world.gateway.pairs(it.id)).toEqual(isAlone ? it.pairs : world.gateway.pairs(it.id));
        }
        const pairs = [...world.gateway.routes.keys()].flatMap((id) => world.gateway.pairs(id));
        expect(new Set(pairs).size).toBe(pairs.length);
      }),
      { numRuns: runs(1000) },
    );
  },
);

test("M7: on an empty gateway the oldest claim whose pairs are all free wins", { timeout }, () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyWant, { selector: ({ id }) => id }), anyPortion, (wants, portion) => {
      const world = new World(identityOf, portion);
      for (const it of wants) want(world, it);
      const rounds = world.untilQuiet();
      const taken = new Set<string>();
      for (const { id, pairs } of wants.toSorted(byAge)) {
        const isFree = !pairs.some((pair) => taken.has(pair));
        expect(world.gateway.pairs(id)).toEqual(isFree ? pairs : []);
        if (isFree) for (const pair of pairs) taken.add(pair);
      }
      expect(rounds).toBeLessThanOrEqual(Math.ceil(wants.length / portion));
    }),
  );
});

function byAge(a: Want, b: Want): number {
  const key = (it: Want) => {
    const { cluster, namespace, name } = identityOf(it.id);
    return [it.inherits ? 0 : 1, it.created, cluster, namespace, name].join("\0");
  };
  return key(a) < key(b) ? -1 : 1;
}

function next(chance: fc.Stream<number>): number {
  return chance.next().value ?? 0;
}

function shuffle<T>(items: readonly T[], chance: fc.Stream<number>): T[] {
  return items
    .map((item) => [next(chance), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item);
}

test("nothing is remembered of what is forgotten", () => {
  const claims = new Claims();
  for (let round = 0; round < 50; round++) {
    const id = `t-${round}`;
    const pairs = [`h${round} /`];
    claims.want({
      id,
      identity: identity(),
      age: { created: 1, cluster: "c", namespace: "n", name: id },
      pairs,
      inherits: false,
      dirty: true,
    });
    claims.startBurst();
    expect(claims.nextRound().grants).toEqual([{ id, pairs, fresh: true }]);
    claims.stands(id, identity(), { hosts: [`h${round}`], uris: ["/"] });
    claims.leave(id, identity(), { grace: false });
    claims.startBurst();
    expect(claims.nextRound().cuts).toEqual([{ type: "delete", id, why: "leaving" }]);
    claims.stands(id, identity(), null);
    expect(claims.outcome(id)).toEqual({ state: "none" });
    expect(claims.holder(`h${round} /`)).toBeUndefined();
    expect(claims.nextRound()).toEqual({ cuts: [], grants: [] });
    expect(claims.pending).toBe(false);
    claims.block(id, true);
    claims.block(id, false);
    expect(claims.size).toBe(0);
  }
});
