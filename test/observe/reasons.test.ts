import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/claims/claim.ts";
import { whyHeldForGood } from "../../src/observe/left-clusters.ts";
import { explainState } from "../../src/observe/reasons.ts";
import type { Local, ReasonFacts } from "../../src/observe/reasons.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import { facts, id, identity, live, record, standing } from "./facts.ts";

const valid: Local = { state: "Valid", reason: "", nodes: 1 };
const pending = { outcome: (): Outcome => ({ state: "pending" }) };
const blocked = (...blockers: { pair: string; by: string; foreign: boolean }[]): Partial<ReasonFacts> => ({
  outcome: () => ({ state: "conflict", blockers }),
});
const ours = { pair: "a.example.com /*", by: "t-2", foreign: false };

const why = (held: GroupRecord, over: Partial<ReasonFacts> = {}, local = valid): string =>
  explainState(held, local, facts(over)).reason;

describe("the reason of a state", () => {
  it("names the holder of ours", () => {
    const title = (by: string): string | undefined => (by === "t-2" ? "west/shop/web-9/web" : undefined);
    expect(why(record(live()), { ...blocked(ours), title })).toBe(
      "a.example.com/* is held by west/shop/web-9/web",
    );
    expect(why(record(live(), standing), { ...blocked(ours), title, isLeaving: () => true })).toBe(
      "a.example.com/* is held by west/shop/web-9/web, which is leaving; its old route stands meanwhile",
    );
  });

  it("says of a holder whose cluster left the configuration what lets it go", () => {
    const holder = (over: Partial<GroupRecord>): Partial<ReasonFacts> => ({
      ...blocked(ours),
      whyHeldForGood: () =>
        whyHeldForGood(record(undefined, over), (name) => ({
          is: name === "old" ? "absent" : "unknown",
          why: "",
        })),
    });
    const fleet = { ...identity, share: "fleet", cluster: "", name: "" } as const;
    const advice =
      "a.example.com/* is held by route t-2; old is not in the configuration any more; if it is gone for good, or has another name now, purge --cluster old deletes what stands of it";
    expect(why(record(live()), holder({ identity: { ...identity, cluster: "old" } }))).toBe(advice);
    expect(why(record(live()), holder({ identity: fleet, members: [["old", "u"]] }))).toBe(advice);
    const nothing = "a.example.com/* is held by route t-2";
    expect(why(record(live()), holder({}))).toBe(nothing);
    expect(
      why(
        record(live()),
        holder({
          identity: fleet,
          members: [
            ["old", "u"],
            ["east", "v"],
          ],
        }),
      ),
    ).toBe(nothing);
    expect(why(record(live()), holder({ identity: fleet, members: [] }))).toBe(nothing);
  });

  it("names a foreign holder by its id, and counts the other pairs", () => {
    const foreign = { pair: "a.example.com /*", by: "r1", foreign: true };
    const another = { pair: "a.example.com /b", by: "r1", foreign: true };
    expect(why(record(live()), blocked(foreign, ours, another))).toBe(
      "a.example.com/* is held by the foreign route r1, and 1 more of its pairs are held too",
    );
  });

  it("says that its own id is taken", () => {
    expect(why(record(live(), { occupied: { upstream: 1, route: undefined } }), pending)).toBe(
      `an object that is not ours stands in APISIX under its id ${id}`,
    );
  });

  it("says when the next burst goes", () => {
    expect(why(record(live()), { ...pending, nextBurst: () => 2500 })).toBe(
      "the next burst of route writes goes at 2027-01-15T08:00:02.500Z",
    );
    expect(why(record(live()), pending)).toBe("the burst of route writes that goes now writes it");
  });

  it("says what a pending one waits for", () => {
    expect(why(record(live()), { ...pending, gateway: () => "down" })).toContain("APISIX does not answer");
    expect(why(record(live()), { ...pending, waitsFor: () => ["east", "west"] })).toContain("east, west");
    expect(why(record(live()), { ...pending, isPaused: () => true })).toContain("POST /resume");
    expect(why(record(live(), { retryAt: 3000 }), pending)).toContain("2027-01-15T08:00:02.000Z");
    expect(why(record(live(), { uncertain: { okAt: 1, route: false, members: [] } }), pending)).toContain(
      "read back",
    );
    const dirty = { upstream: true, route: false };
    expect(why(record(live(), { ...standing, dirty }))).toBe("its upstream is about to be written");
  });

  it("tells what APISIX said, cut and harmless on a terminal", () => {
    const message = `bad \u001b[2Jplugin ${"x".repeat(10_000)}`;
    const rejected = { resource: "route", isCut: false, status: 400, message, times: 1, until: 1 } as const;
    const reason = why(record(live(), { ...standing, rejected }));
    expect(reason).toMatch(
      /^APISIX refused the route with 400: bad \ufffd\[2Jplugin x+; what it accepted last stands$/,
    );
    expect(reason.length).toBeLessThan(600);
    expect(why(record(live(), { rejected }))).not.toContain("accepted last");
  });

  it("names what is degraded, and the batch of the guard", () => {
    const hidden = (): string => "east/pods is degraded: connection refused";
    expect(why(record(live(), standing), { hidden })).toBe(
      "east/pods is degraded: connection refused; what stands in APISIX is kept as it is",
    );
    expect(why(record(live(), standing), { isHeld: () => true, batch: () => "b1-2" })).toBe(
      "the guard holds its removal; POST /guard/approve?batch=b1-2 lets it go",
    );
    expect(why(record(live(), standing), { isHeld: () => true, isPlan: true })).toBe(
      "the guard would hold its removal",
    );
  });

  it("says of a paused group why it is left alone", () => {
    const change = { id, identity, counts: { Paused: 1 }, stand: { type: "untouched" } } as const;
    expect(why(record(undefined, { ...standing, change }))).toBe("paused by its annotation");
    expect(why(record(undefined, { ...standing, change: { ...change, reason: "paused" } }))).toBe("paused");
  });

  it("says when a leaving one is deleted", () => {
    const absent = { type: "absent", grace: true, cause: "gone" } as const;
    const leaving = { due: 31_000, emptied: true };
    expect(why(record(absent, { ...standing, leaving }))).toBe(
      "its object is gone, or its label was taken away; it is emptied, and deleted by the first burst of route writes after 2027-01-15T08:00:30.000Z",
    );
    expect(why(record(absent, { ...standing, ending: true }))).toContain("the next burst");
  });

  it("passes on what the shard says of the declaration itself", () => {
    const local: Local = { state: "Invalid", reason: 'port: "x" is not a port' };
    expect(why(record({ type: "nothing" }), {}, local)).toBe('port: "x" is not a port');
  });

  it("says that one member of a routed group gives no node", () => {
    expect(why(record(live(), standing))).toBe("APISIX holds it as declared");
    expect(why(record(live(), standing), {}, { ...valid, nodes: 0 })).toContain("gives no node");
  });
});
