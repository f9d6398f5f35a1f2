import fc from "fast-check";
import { expect, test } from "vitest";
import type { ForeignRoute } from "../../src/claims/claim.ts";
import { Claims } from "../../src/claims/claims.ts";
import { ForeignRoutes } from "../../src/claims/foreign-routes.ts";
import { PairIndex } from "../../src/claims/pair-index.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import { identity } from "./world.ts";

const hosts = ["", "h1", "h2", "h3"];
const uris = ["/1", "/2", "/3", "/*"];
const everyPair = pairsOf(hosts, uris);

const anyRoutes = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e"),
    hosts: fc.array(fc.constantFrom(...hosts), { minLength: 1, maxLength: 3 }),
    uris: fc.array(fc.constantFrom(...uris), { maxLength: 3 }),
    createdIndex: fc.nat(5),
  }),
  { selector: ({ id }) => id },
);

test("who stands on a pair is the same, however many pairs are found by themselves", () => {
  fc.assert(
    fc.property(anyRoutes, fc.nat(9), fc.subarray(everyPair), (routes, unfold, pairs) => {
      const found = new ForeignRoutes(unfold);
      for (const route of routes) found.add(route);
      const taken = new PairIndex();
      for (const pair of pairs) taken.add(pair, {});
      const on = (pair: string): ForeignRoute[] =>
        routes.filter((route) => pairsOf(route.hosts, route.uris).includes(pair));
      for (const pair of everyPair) {
        expect(found.at(pair).toArray().toSorted(byId)).toEqual(on(pair).toSorted(byId));
        expect(found.isEmpty(pair)).toBe(on(pair).length === 0);
      }
      expect(found.beside(taken).filter(Boolean).toArray().toSorted()).toEqual(
        pairs.filter((pair) => on(pair).length > 0),
      );
      expect([...found.ids()]).toEqual(routes.map(({ id }) => id));
    }),
  );
});

test("routes of thousands of hosts and uris, and thousands of routes of one service, cost what they say", () => {
  const names = Array.from({ length: 3000 }, (_, at) => `h${at}.example.com`);
  const paths = Array.from({ length: 3000 }, (_, at) => `/p${at}`);
  const wide = { id: "wide", hosts: names, uris: paths, createdIndex: 1 };
  const ofService = paths.map((uri, at) => ({ id: `s${at}`, hosts: names, uris: [uri], createdIndex: 1 }));
  const claims = new Claims();
  const id = "t-1";
  const age = { created: 1, cluster: "c", namespace: "n", name: "p" };
  const pairs = ["h2999.example.com /p2999"];
  claims.want({ id, identity: identity(), age, pairs, inherits: false, dirty: true });
  // Nine million pairs each: unfolded they would take gigabytes, and this test minutes.
  claims.setForeign([wide, ...ofService]);
  claims.startBurst();
  expect(claims.nextRound()).toEqual({ cuts: [], grants: [] });
  expect(claims.outcome(id)).toEqual({
    state: "conflict",
    blockers: [
      { pair: pairs[0], by: "wide", foreign: true },
      { pair: pairs[0], by: "s2999", foreign: true },
    ],
  });
  claims.setForeign(ofService.slice(0, -1));
  claims.startBurst();
  expect(claims.nextRound().grants).toEqual([{ id, pairs, fresh: true }]);
});

const byId = (a: ForeignRoute, b: ForeignRoute): number => (a.id < b.id ? -1 : 1);

test("what is said while foreign routes are being heard of is judged as if it were said afterwards", () => {
  const claim = fc.record({
    id: fc.constantFrom("t1", "t2", "t3"),
    pairs: fc.subarray(everyPair, { minLength: 1 }),
  });
  fc.assert(
    fc.property(
      fc.array(claim, { maxLength: 3 }),
      anyRoutes,
      anyRoutes,
      fc.array(fc.tuple(claim, fc.nat(40)), { maxLength: 3 }),
      (before, first, second, later) => {
        const judged = [false, true].map((between) => {
          const claims = new Claims({ unfold: 3 });
          const want = ({ id, pairs }: { id: string; pairs: string[] }, inherits: boolean): void =>
            claims.want({ id, identity: identity(), age: age(id), pairs, inherits, dirty: true });
          claims.setForeign(first);
          for (const each of before) want(each, false);
          for (const { id, pairs } of burst(claims).grants) {
            const [host = "", uri = ""] = (pairs[0] ?? "").split(" ");
            claims.stands(id, identity(), { hosts: [host], uris: [uri] }, 3);
          }
          const steps = claims.hearForeign(second, { upstream: [], route: [] });
          const due = later.toSorted((a, b) => a[1] - b[1]);
          for (let step = 0; steps.next().done !== true; step++)
            while (between && due.length > 0 && (due[0]?.[1] ?? 0) <= step) want(due.shift()![0], true);
          for (const [each] of due) want(each, true);
          return { round: burst(claims), outcomes: ["t1", "t2", "t3"].map((id) => claims.outcome(id)) };
        });
        expect(judged[1]).toEqual(judged[0]);
      },
    ),
  );
});

const age = (name: string): { created: number; cluster: string; namespace: string; name: string } => ({
  ...{ created: 1, cluster: "c", namespace: "n", name },
});

function burst(claims: Claims): ReturnType<Claims["nextRound"]> {
  claims.startBurst();
  return claims.nextRound();
}
