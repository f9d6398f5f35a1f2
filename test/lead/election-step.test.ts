import { describe, expect, it } from "vitest";
import {
  electionDue,
  electionStep,
  firstElectionState,
  jittered,
  mayWrite,
  type ElectionInput,
  type ElectionState,
  type ElectionStep,
} from "../../src/lead/election-step.ts";
import type { Lease } from "../../src/lead/lease.ts";
import { holding, lease, times } from "./leases.ts";

const context = (now: number, random = 0.5) => ({ now, random, identity: "me", times });
const step = (state: ElectionState, input: ElectionInput, now: number): ElectionStep =>
  electionStep(state, input, context(now));
const seen = (found: Lease | null): ElectionInput => ({ type: "seen", lease: found });

/** The state after these, each with its time. */
const after = (...inputs: readonly (readonly [ElectionInput, number])[]): ElectionState =>
  inputs.reduce<ElectionState>((state, [input, now]) => step(state, input, now).state, firstElectionState);

describe("an observer", () => {
  it("does nothing before it has read the Lease", () => {
    expect(step(firstElectionState, { type: "tick" }, 1e9)).toEqual({ state: firstElectionState });
    expect(electionDue(firstElectionState, times)).toBe(Infinity);
  });

  it.each<[string, Lease | null]>([
    ["there is none", null],
    ["nobody holds it", lease("", "7", { duration: 1000 })],
    ["it is ours by a write that we took for failed", lease("me", "7")],
  ])("tries at once where %s", (_what, found) => {
    expect(step(firstElectionState, seen(found), 100)).toMatchObject({
      effect: { type: "write", over: found },
      state: { at: "observing", busy: true },
    });
  });

  it("waits for a holder's time, counted from when its record was seen to change, not from what it says", () => {
    const state = after([seen(lease("other", "5")), 100], [seen(lease("other", "6")), 3000]);
    expect(electionDue(state, times)).toBe(18_000);
    expect(step(state, { type: "tick" }, 17_999)).toEqual({ state });
    expect(step(state, { type: "tick" }, 18_000).effect).toEqual({
      type: "write",
      over: lease("other", "6"),
    });
  });

  it("is told nothing by a record that has not changed", () => {
    const state = after([seen(lease("other", "5")), 100]);
    expect(step(state, seen(lease("other", "5")), 9000)).toEqual({ state });
  });

  it.each<[string, number | undefined, number]>([
    ["that the record names", 60_000, 60_100],
    ["of its own configuration, where it names none", undefined, 15_100],
  ])("waits for the duration %s", (_what, duration, due) => {
    expect(electionDue(after([seen(lease("other", "5", { duration })), 100]), times)).toBe(due);
  });

  it("waits for the holder of a Lease that was deleted, as if it had been renewed just then: it may not know", () => {
    const state = after([seen(lease("other", "5")), 100], [seen(null), 2000]);
    expect(electionDue(state, times)).toBe(17_000);
    expect(step(state, { type: "tick" }, 17_000).effect).toEqual({ type: "write", over: null });
  });

  describe("where the Lease that it saw was deleted, and its holder made it no more", () => {
    const making = after([seen(lease("other", "5")), 100], [seen(null), 2000], [{ type: "tick" }, 17_000]);
    const written: ElectionInput = { type: "written", lease: lease("me", "9"), sentAt: 17_000, over: null };

    it("makes one, and leads no sooner than that has run out: others may have held one that it did not see", () => {
      const { state } = step(making, written, 17_100);
      expect([state.at, electionDue(state, times)]).toEqual(["observing", 32_100]);
      const { state: taking, effect } = step(state, { type: "tick" }, 32_100);
      expect(effect).toEqual({ type: "write", over: lease("me", "9") });
      const taken = { ...written, lease: lease("me", "10"), over: lease("me", "9"), sentAt: 32_100 };
      expect(step(taking, taken, 32_200).state.at).toBe("holding");
    });

    it("respects the one that it made also where it took the making for failed", () => {
      const { state } = step(making, { type: "failed", sentAt: 17_000 }, 19_000);
      expect(electionDue(step(state, seen(lease("me", "9")), 19_500).state, times)).toBe(34_500);
    });
  });

  it("looks after a conflict, and tries no more before a jittered retry period unless the record has changed", () => {
    const tried = after([seen(null), 100]);
    const { state, effect } = step(tried, { type: "conflict" }, 200);
    expect(effect).toEqual({ type: "look" });
    expect(electionDue(state, times)).toBe(200 + jittered(times, 0.5));
    expect(step(state, seen(null), 300).effect).toBeUndefined();
    expect(step(state, seen(lease("", "9")), 300).effect).toEqual({ type: "write", over: lease("", "9") });
    expect(electionDue(step(state, seen(lease("other", "9")), 300).state, times)).toBe(15_300);
  });

  it("tries again a jittered retry period after a failure", () => {
    const state = after([seen(null), 100], [{ type: "failed", sentAt: 100 }, 2100]);
    expect(electionDue(state, times)).toBe(2100 + jittered(times, 0.5));
    expect([0, 0.999].map((random) => Math.round(jittered(times, random)))).toEqual([2000, 4398]);
  });

  it("sends one attempt at a time", () => {
    const state = after([seen(null), 100]);
    expect(electionDue(state, times)).toBe(Infinity);
    expect(step(state, seen(lease("", "9")), 300).effect).toBeUndefined();
  });

  it("leads from when its write was sent, not from when it was answered", () => {
    const state = after(
      [seen(null), 100],
      [{ type: "written", lease: lease("me", "5"), sentAt: 100, over: null }, 1900],
    );
    expect(state).toEqual(holding(100));
  });

  it("is lost at once where the answer that it leads came after the deadline", () => {
    const state = after(
      [seen(null), 100],
      [{ type: "written", lease: lease("me", "5"), sentAt: 100, over: null }, 10_100],
    );
    expect(state.at).toBe("lost");
  });

  it("may write nothing", () => {
    expect(mayWrite(after([seen(null), 100]), context(100), 0)).toBe(false);
  });
});

describe("a holder", () => {
  it("renews every retry period, over the record that it wrote last", () => {
    expect(electionDue(holding(1000), times)).toBe(3000);
    expect(step(holding(1000), { type: "tick" }, 2999)).toEqual({ state: holding(1000) });
    expect(step(holding(1000), { type: "tick" }, 3000)).toEqual({
      state: holding(1000, { busy: true }),
      effect: { type: "write", over: lease("me", "5") },
    });
    const written: ElectionInput = {
      type: "written",
      lease: lease("me", "6"),
      sentAt: 3000,
      over: lease("me", "5"),
    };
    expect(step(holding(1000, { busy: true }), written, 3500).state).toEqual(
      holding(3000, { lease: lease("me", "6") }),
    );
  });

  it.each([
    ["at once where the time-out took a retry period", 5000, 5000],
    ["a retry period after it was sent where it failed fast", 3010, 5000],
  ])("tries a failed renewal again %s", (_what, failedAt, due) => {
    const state = step(holding(1000, { busy: true }), { type: "failed", sentAt: 3000 }, failedAt).state;
    expect(electionDue(state, times)).toBe(due);
    expect(state).toMatchObject({ renewedAt: 1000 });
  });

  it("looks after a conflict, renews over what is still its own, and over nothing where the Lease was deleted", () => {
    const looking = step(holding(1000, { busy: true }), { type: "conflict" }, 3100);
    expect(looking.effect).toEqual({ type: "look" });
    for (const found of [lease("me", "9"), null, lease("", "9")])
      expect(step(looking.state, seen(found), 3200).effect).toEqual({ type: "write", over: found });
  });

  it.each<[string, ElectionInput, number]>([
    ["another one holds the Lease", seen(lease("other", "9")), 3200],
    ["the deadline passes", { type: "tick" }, 11_000],
    [
      "an answer comes after the deadline",
      { type: "written", lease: lease("me", "6"), sentAt: 10_500, over: lease("me", "5") },
      11_000,
    ],
    ["a write came too late", { type: "forfeit", reason: "too late" }, 3200],
  ])("is lost where %s", (_what, input, now) => {
    const { state, effect } = step(holding(1000, { busy: true }), input, now);
    expect([state.at, effect]).toEqual(["lost", undefined]);
  });

  it("is due at its deadline while a renewal hangs", () => {
    expect(electionDue(holding(1000, { busy: true }), times)).toBe(11_000);
  });

  it.each([
    [5000, 5999, true],
    [5000, 6000, false],
    [0, 10_999, true],
    [0, 11_000, false],
  ])("with a request of at most %i ms may write at %i: %s", (timeout, now, allowed) => {
    expect(mayWrite(holding(1000), context(now), timeout)).toBe(allowed);
  });
});

describe("who has lost", () => {
  const lost: ElectionState = { at: "lost", reason: "x" };

  it.each<ElectionInput>([
    { type: "tick" },
    seen(null),
    { type: "written", lease: lease("me", "6"), sentAt: 100, over: null },
    { type: "forfeit", reason: "y" },
  ])("stays lost: $type", (input) => {
    expect(step(lost, input, 200)).toEqual({ state: lost });
    expect(electionDue(lost, times)).toBe(Infinity);
    expect(mayWrite(lost, context(0), 0)).toBe(false);
  });
});
