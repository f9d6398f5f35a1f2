import fc from "fast-check";
import { expect, test } from "vitest";
import { Claims } from "../../src/claims/claims.ts";
import type { ForeignRoute } from "../../src/claims/claim.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import { identity, shapeOf, World } from "./world.ts";
import type { Answer } from "./world.ts";

const ids = ["a", "b", "c", "d", "e", "f"] as const;
const hosts = ["h1", "h2", "h3", "h4"];
const uris = ["/1", "/2"];

/** Two clusters, two namespaces, one fleet group: so that grace has kin and strangers. */
const identities = new Map([
  ["a", identity({ cluster: "c1", namespace: "n1", name: "a" })],
  ["b", identity({ cluster: "c1", namespace: "n1", name: "b" })],
  ["c", identity({ cluster: "c2", namespace: "n1", name: "c" })],
  ["d", identity({ cluster: "c1", namespace: "n2", name: "d" })],
  ["e", identity({ cluster: "", namespace: "n1", name: "", share: "fleet" })],
  ["f", identity({ cluster: "c2", namespace: "n2", name: "f" })],
]);
const identityOf = (id: string) => identities.get(id) ?? identity();

/** `CLAIMS_RUNS=50` multiplies the schedules. */
const runs = (usual: number): number => usual * Number(process.env["CLAIMS_RUNS"] ?? 1);

const anyId = fc.constantFrom(...ids);
const anyPairs = fc
  .tuple(
    fc.subarray(hosts, { minLength: 1, maxLength: 3 }),
    fc.subarray(uris, { minLength: 1, maxLength: 2 }),
  )
  .map(([someHosts, someUris]) => pairsOf(someHosts, someUris));
const anyForeign: fc.Arbitrary<ForeignRoute[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom("x", "y", "a"),
    pairs: anyPairs.map((pairs) => pairs.slice(0, 2)),
    createdIndex: fc.constantFrom(1, 1_000_000),
  }),
  { selector: ({ id }) => id, maxLength: 2 },
);
const anyWant = fc.record({
  id: anyId,
  pairs: anyPairs,
  created: fc.nat(3),
  inherits: fc.boolean().map((yes) => yes),
  version: fc.integer({ min: 1, max: 2 }),
});
type Want = typeof anyWant extends fc.Arbitrary<infer T> ? T : never;

function want(world: World, { id, pairs, created, inherits, version }: Want): void {
  const { cluster, namespace, name } = identityOf(id);
  world.want({ id, pairs, inherits, age: { created, cluster, namespace, name } }, version);
}

type Action =
  | { readonly do: "want"; readonly it: Want }
  | { readonly do: "leave"; readonly id: string; readonly grace: boolean }
  | { readonly do: "hold"; readonly id: string }
  | { readonly do: "forget"; readonly id: string }
  | { readonly do: "readBack"; readonly id: string }
  | { readonly do: "block"; readonly id: string; readonly blocked: boolean }
  | { readonly do: "foreign"; readonly routes: readonly ForeignRoute[] }
  | { readonly do: "answer"; readonly at: number; readonly answer: Answer }
  | { readonly do: "arriveLate"; readonly at: number }
  | { readonly do: "goOn" };

const anyAnswer = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Answer>("ok") },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Answer>("refused", "unsent", "lostApplied", "lostLate", "lostNever"),
  },
);
const as = fc.constant;
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: as("want" as const), it: anyWant }) },
  { weight: 2, arbitrary: fc.record({ do: as("leave" as const), id: anyId, grace: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: as("hold" as const), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ do: as("forget" as const), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ do: as("block" as const), id: anyId, blocked: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: as("goOn" as const) }) },
  { weight: 8, arbitrary: fc.record({ do: as("answer" as const), at: fc.nat(9), answer: anyAnswer }) },
  { weight: 1, arbitrary: fc.record({ do: as("readBack" as const), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ do: as("arriveLate" as const), at: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: as("foreign" as const), routes: anyForeign }) },
);

function act(world: World, action: Action): void {
  if (action.do === "want") want(world, action.it);
  else if (action.do === "leave") world.leave(action.id, action.grace);
  else if (action.do === "hold") world.hold(action.id);
  else if (action.do === "forget") world.forget(action.id);
  else if (action.do === "block") world.block(action.id, action.blocked);
  else if (action.do === "readBack") world.readBack(action.id);
  else if (action.do === "answer") world.answer(action.at, action.answer);
  else if (action.do === "arriveLate") world.arriveLate(action.at);
  else if (action.do === "goOn") goOn(world);
  // A foreign route that comes while one of ours is on its way cannot be known in time.
  else if (world.flights.length === 0 && world.late.length === 0) world.setForeign(action.routes);
}

/** The next thing a writer does: answers first, then the next round, then the next burst. */
function goOn(world: World): void {
  if (world.flights.length > 0) world.answer(0, "ok");
  else if (world.inBurst) world.send();
  else if (world.claims.pending) world.start();
}

/**
 * Everybody is heard, nothing is unknown: what remains is a matter of claims alone. Nothing is said again but what
 * claims ask for, so that a challenger that was passed over stays passed over.
 */
function calmDown(world: World): void {
  world.finishBurst();
  for (const id of ids) {
    if (world.uncertain.has(id)) world.readBack(id);
    if (world.blocked.has(id)) world.block(id, false);
    const said = world.said.get(id);
    if (!world.refused.has(id)) continue;
    if (said?.type === "want") world.want(said.claim, said.version);
    else if (said?.type === "leave") world.leave(id, said.grace);
  }
  world.untilQuiet();
  for (const id of ids) world.readBack(id);
  world.untilQuiet();
}

/** The same words and the same APISIX, heard by a new leader. */
function hearAnew(world: World): World {
  const again = new World(identityOf);
  again.claims.setForeign(world.gateway.foreign);
  again.gateway.foreign = world.gateway.foreign;
  for (const [id, route] of world.gateway.routes) {
    again.gateway.routes.set(id, route);
    again.readBack(id);
  }
  for (const [id, said] of world.said) {
    if (said.type === "want") again.want(said.claim, said.version);
    else if (said.type === "leave") again.leave(id, said.grace);
    else again.hold(id);
  }
  return again;
}

function expectQuiet(world: World): void {
  expect(world.claims.pending).toBe(false);
  world.claims.startBurst();
  expect(world.claims.nextRound()).toEqual({ cuts: [], grants: [] });
  for (const [id, said] of world.said) expectOutcome(world, id, said.type === "want");
}

function expectOutcome(world: World, id: string, isWanted: boolean): void {
  const outcome = world.claims.outcome(id);
  const said = world.said.get(id);
  const route = world.gateway.routes.get(id);
  if (!isWanted || said?.type !== "want") {
    expect(outcome).toEqual(route ? { state: "holds", pairs: world.gateway.pairs(id) } : { state: "none" });
    if (said?.type === "leave" && !said.grace && !world.gateway.foreign.some((it) => it.id === id))
      expect(route).toBeUndefined();
    return;
  }
  if (outcome.state === "holds") {
    expect(outcome.pairs).toEqual(said.claim.pairs);
    expect(world.gateway.pairs(id)).toEqual(said.claim.pairs);
    expect(route?.version).toBe(said.version);
    return;
  }
  if (outcome.state !== "conflict") throw new Error(`${id} is ${outcome.state}`);
  expect(outcome.blockers.length).toBeGreaterThan(0);
  for (const { pair, by } of outcome.blockers) {
    expect(said.claim.pairs).toContain(pair);
    expect([...world.gateway.on(pair), ...world.gateway.foreign.map((it) => it.id)]).toContain(by);
    expect(world.claims.waiting(pair)).toContain(id);
  }
}

test("at most one route of ours stands on a pair after each request, whatever is said, answered, lost or late", () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 80 }), (actions) => {
      const world = new World(identityOf);
      for (const action of actions) act(world, action);
      calmDown(world);
      expectQuiet(world);
    }),
    { numRuns: runs(3000) },
  );
});

test("a new leader that hears the same finds nothing to do", () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
      const world = new World(identityOf);
      for (const action of actions) act(world, action);
      calmDown(world);
      expectQuiet(world);
      const again = hearAnew(world);
      const before = again.gateway.read();
      expect(again.untilQuiet()).toBe(0);
      expect(again.gateway.read()).toEqual(before);
      expectQuiet(again);
    }),
    { numRuns: runs(1500) },
  );
});

test("M7: what is said before the first request leads to the same quiet state in any order", () => {
  const wants = fc.uniqueArray(anyWant, { selector: ({ id }) => id, maxLength: 6 });
  const leaves = fc.array(fc.tuple(anyId, fc.constantFrom("leave", "grace", "hold")), { maxLength: 2 });
  fc.assert(
    fc.property(
      wants,
      wants,
      leaves,
      anyForeign,
      fc.infiniteStream(fc.nat()),
      (old, now, gone, foreign, chance) => {
        const start = new World(identityOf);
        for (const it of old) want(start, it);
        start.untilQuiet();
        const outcomes = [1, 2, 3].map(() => {
          const world = new World(identityOf);
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
    { numRuns: runs(1500) },
  );
});

test("two routes of ours found on one pair, a dead leader's last request: the one with less right goes", () => {
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
});

test("M7: on an empty gateway the oldest claim whose pairs are all free wins", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyWant, { selector: ({ id }) => id }), (wants) => {
      const world = new World(identityOf);
      for (const it of wants) want(world, it);
      const rounds = world.untilQuiet();
      const taken = new Set<string>();
      for (const { id, pairs } of wants.toSorted(byAge)) {
        const isFree = !pairs.some((pair) => taken.has(pair));
        expect(world.gateway.pairs(id)).toEqual(isFree ? pairs : []);
        if (isFree) for (const pair of pairs) taken.add(pair);
      }
      expect(rounds).toBeLessThanOrEqual(1);
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
  }
});
