import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/claims/claim.ts";
import { states } from "../../src/observe/state.ts";
import type { State } from "../../src/observe/state.ts";
import { stateOf } from "../../src/observe/states.ts";
import type { LocalState, Stand } from "../../src/shard/change.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import { facts, live, record, standing } from "./facts.ts";

const degraded = { hidden: () => "east/pods is degraded: connection refused" };
const guarded = { isHeld: () => true };
const pending = { outcome: (): Outcome => ({ state: "pending" }) };
const none = { outcome: (): Outcome => ({ state: "none" }) };
const conflict = {
  outcome: (): Outcome => ({
    state: "conflict",
    blockers: [{ pair: "a.example.com /*", by: "x", foreign: true }],
  }),
};
const rejected = {
  resource: "route",
  isCut: false,
  status: 400,
  message: "no",
  times: 1,
  until: 9000,
} as const;
const frozen: Stand = { type: "frozen", nodes: 1, bare: false, upstream: false };
const nothing: Stand = { type: "nothing" };
const untouched: Stand = { type: "untouched" };
const gone: Stand = { type: "absent", grace: true, cause: "gone" };
const forbidden: Stand = { type: "absent", grace: false, cause: "forbidden" };

type Row = [
  what: string,
  state: State,
  local: LocalState,
  record: GroupRecord,
  facts?: Parameters<typeof facts>[0],
];

const rows: Row[] = [
  ["what stands is what is declared", "Routed", "Valid", record(live(), standing)],
  ["nothing behind it is ready", "NoNodes", "Valid", record(live({ nodes: 0 }), standing)],
  ["granted, never written", "Pending", "Valid", record(live()), pending],
  ["valid, its claim not yet heard", "Pending", "Valid", record(live()), none],
  ["its route is to change", "Pending", "Valid", record(live(), standing), pending],
  [
    "its upstream is to change",
    "Pending",
    "Valid",
    record(live(), { ...standing, dirty: { upstream: true, route: false } }),
  ],
  ["its last request failed", "Pending", "Valid", record(live(), { ...standing, retryAt: 5000 })],
  [
    "a request ended without an answer",
    "Pending",
    "Valid",
    record(live(), { ...standing, uncertain: { okAt: undefined, route: false, members: [] } }),
  ],
  ["another holds its pair, never routed", "Conflict", "Valid", record(live()), conflict],
  [
    "another holds its new pair, the old route stands",
    "Conflict",
    "Valid",
    record(live(), standing),
    conflict,
  ],
  [
    "a foreign object stands under its id",
    "Conflict",
    "Valid",
    record(live(), { occupied: { upstream: 1, route: undefined } }),
    pending,
  ],
  ["APISIX refused it, never routed", "Rejected", "Valid", record(live(), { rejected }), none],
  ["APISIX refused the change", "Rejected", "Valid", record(live(), { ...standing, rejected })],
  ["refused and in conflict", "Rejected", "Valid", record(live(), { rejected }), conflict],
  ["its cluster is degraded", "Frozen", "Valid", record(live(), standing), degraded],
  ["degraded and never written", "Frozen", "Valid", record(live()), { ...degraded, ...pending }],
  ["degraded and in conflict", "Frozen", "Valid", record(live()), { ...degraded, ...conflict }],
  ["degraded and refused", "Frozen", "Valid", record(live(), { ...standing, rejected }), degraded],
  ["the guard holds its stepping back", "Frozen", "Valid", record(live(), standing), guarded],
  ["paused", "Frozen", "Paused", record(untouched, standing)],
  ["paused, nothing stands", "Frozen", "Paused", record(nothing), none],
  ["paused in a group that goes on", "Frozen", "Paused", record(live(), standing)],
  ["invalid, never routed", "Invalid", "Invalid", record(nothing), none],
  ["invalid, what stood stands", "Invalid", "Invalid", record(frozen, standing)],
  ["invalid in a valid group", "Invalid", "Invalid", record(live(), standing)],
  ["invalid, stands, cluster degraded", "Frozen", "Invalid", record(frozen, standing), degraded],
  [
    "invalid, never routed, cluster degraded",
    "Invalid",
    "Invalid",
    record(nothing),
    { ...degraded, ...none },
  ],
  ["forbidden, never routed", "Forbidden", "Forbidden", record(nothing), none],
  ["forbidden by a new policy", "Forbidden", "Forbidden", record(forbidden, standing)],
  [
    "forbidden by a new policy, the guard holds it",
    "Forbidden",
    "Forbidden",
    record(forbidden, standing),
    guarded,
  ],
  ["differs from its group", "SpecMismatch", "SpecMismatch", record(live(), standing)],
  ["differs, its group is in conflict", "SpecMismatch", "SpecMismatch", record(live()), conflict],
  ["differs, its cluster is degraded", "Frozen", "SpecMismatch", record(live(), standing), degraded],
  ["what stands cannot be held against it", "Frozen", "Unclear", record(frozen, standing)],
  ["the same, and nothing is ready", "Frozen", "Unclear", record({ ...frozen, nodes: 0 }, standing)],
  [
    "the same, and its upstream is to be written",
    "Pending",
    "Unclear",
    record(frozen, { ...standing, dirty: { upstream: true, route: false } }),
  ],
  ["the same, and it is refused", "Rejected", "Unclear", record(frozen, { ...standing, rejected })],
  ["a sibling is invalid, nobody sets the spec", "Routed", "Valid", record(frozen, standing)],
  ["its last Pod ends", "NoNodes", "Valid", record({ ...frozen, nodes: 0 }, standing)],
  ["a Pod that has ended and was never routed", "NoNodes", "Valid", record(nothing), none],
  [
    "gone, in its grace",
    "Leaving",
    "Valid",
    record(gone, { ...standing, leaving: { due: 1, emptied: true } }),
  ],
  ["taken out, about to be deleted", "Leaving", "Valid", record(gone, { ...standing, ending: true })],
  ["gone, the guard holds it", "Frozen", "Valid", record(gone, standing), guarded],
  ["gone, then its cluster degraded", "Frozen", "Valid", record(gone, standing), degraded],
  ["stands, nobody has spoken of it", "Frozen", "Valid", record(undefined, standing)],
  ["heard of by its shard alone", "Pending", "Valid", record(undefined), none],
];

describe("the state of a declaration", () => {
  it.each(rows)("%s: %s", (_what, state, local, held, over) => {
    expect(stateOf(held, local, facts(over))).toBe(state);
  });

  it("has a row for every state", () => {
    expect(new Set(rows.map(([, state]) => state))).toEqual(new Set(states));
  });

  it("never says of what is hidden, held or not yet answered that it is routed", () => {
    const troubles = fc.record({
      hidden: fc.boolean(),
      held: fc.boolean(),
      uncertain: fc.boolean(),
      dirty: fc.boolean(),
      occupied: fc.boolean(),
      outcome: fc.constantFrom<Outcome["state"]>("none", "pending", "holds", "conflict"),
      stand: fc.constantFrom(live(), frozen, nothing, untouched, gone, undefined),
    });
    fc.assert(
      fc.property(troubles, ({ hidden, held, uncertain, dirty, occupied, outcome, stand }) => {
        const group = record(stand, {
          ...{ ...standing, occupied: { upstream: undefined, route: occupied ? 1 : undefined } },
          ...{ dirty: { upstream: dirty, route: false } },
          uncertain: uncertain ? { okAt: undefined, route: false, members: [] } : undefined,
        });
        const state = stateOf(
          group,
          "Valid",
          facts({
            ...(hidden ? degraded : {}),
            isHeld: () => held,
            outcome: () =>
              outcome === "holds"
                ? { state: outcome, pairs: [] }
                : outcome === "conflict"
                  ? { state: outcome, blockers: [] }
                  : { state: outcome },
          }),
        );
        const isQuiet = !hidden && !held && !uncertain && !dirty && !occupied && outcome !== "conflict";
        if (state === "Routed" || state === "NoNodes") expect(isQuiet || stand === nothing).toBe(true);
        if (hidden || held) expect(state).toBe("Frozen");
      }),
    );
  });
});
