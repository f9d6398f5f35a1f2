import fc from "fast-check";
import type { ForeignRoute } from "../../src/claims/claim.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import { identity } from "./world.ts";
import type { Answer, World } from "./world.ts";

export const ids = ["a", "b", "c", "d", "e", "f"] as const;
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
export const identityOf = (id: string) => identities.get(id) ?? identity();

/** `CLAIMS_RUNS=50` multiplies the schedules. */
export const runs = (usual: number): number => usual * Number(process.env["CLAIMS_RUNS"] ?? 1);

export const anyId = fc.constantFrom(...ids);
export const anyPairs = fc
  .tuple(
    fc.subarray(hosts, { minLength: 1, maxLength: 3 }),
    fc.subarray(uris, { minLength: 1, maxLength: 2 }),
  )
  .map(([someHosts, someUris]) => pairsOf(someHosts, someUris));
export const anyForeign: fc.Arbitrary<ForeignRoute[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom("x", "y", "a"),
    hosts: fc.subarray(hosts, { minLength: 1, maxLength: 2 }),
    uris: fc.subarray(uris, { minLength: 1, maxLength: 2 }),
    createdIndex: fc.constantFrom(1, 1_000_000),
  }),
  { selector: ({ id }) => id, maxLength: 2 },
);
export const anyWant = fc.record({
  id: anyId,
  pairs: anyPairs,
  created: fc.nat(3),
  inherits: fc.nat(3).map((at) => at === 0),
  version: fc.integer({ min: 1, max: 2 }),
});
export type Want = typeof anyWant extends fc.Arbitrary<infer T> ? T : never;

export function want(world: World, { id, pairs, created, inherits, version }: Want): void {
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
export const anyAction: fc.Arbitrary<Action> = fc.oneof(
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

export function act(world: World, action: Action): void {
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
