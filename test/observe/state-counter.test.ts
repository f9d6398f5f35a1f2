import { describe, expect, it } from "vitest";
import { StateCounter } from "../../src/observe/state-counter.ts";
import { states } from "../../src/observe/state.ts";
import type { StateFacts } from "../../src/observe/states.ts";
import type { Change } from "../../src/shard/change.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { facts, id, identity, live, record, standing } from "./facts.ts";

function counter(groups: GroupRecord[], strays: Change[] = [], over: StateFacts = facts()) {
  const clock = new VirtualClock();
  let looks = 0;
  const records = {
    all: () => {
      looks++;
      return groups;
    },
    strays: () => strays,
  };
  return { clock, looks: () => looks, counter: new StateCounter({ clock, records, facts: over }) };
}

const group = (change: Partial<Change>, over: Partial<GroupRecord> = {}): GroupRecord =>
  record(undefined, { change: { id, identity, counts: {}, stand: live(), ...change }, ...over });

describe("StateCounter", () => {
  it("counts declarations, and one for a group that nobody declares any more", async () => {
    const gone = { type: "absent", grace: true, cause: "gone" } as const;
    const groups = [
      group({ counts: { Valid: 3, SpecMismatch: 1, Invalid: 1, Paused: 1 } }, standing),
      group({ counts: { Valid: 2 }, stand: live({ nodes: 0 }) }, standing),
      group({ counts: {}, stand: gone }, standing),
      group({ counts: {}, stand: gone }),
      group({ counts: { Forbidden: 2 }, stand: { ...gone, cause: "forbidden" } }, standing),
      record(undefined, standing),
      record(undefined),
    ];
    const stray = { id: "s", identity, counts: { Invalid: 2 }, stand: { type: "nothing" } } as const;
    const counts = await counter(groups, [stray]).counter.counts();
    const rest = Object.fromEntries(states.map((state) => [state, 0]));
    expect(counts).toEqual({
      ...rest,
      ...{ Routed: 3, SpecMismatch: 1, Invalid: 3, Frozen: 2, NoNodes: 2, Leaving: 1, Forbidden: 2 },
    });
  });

  it("takes turns with everybody else where there are many, and says them again for a second", async () => {
    const many = Array.from({ length: 2600 }, () => record(live(), standing));
    const { clock, looks, counter: counting } = counter(many);
    const first = counting.counts();
    const shared = counting.counts();
    let isDone = false;
    void first.then(() => (isDone = true));
    await Promise.resolve();
    expect(isDone).toBe(false);
    await clock.advance(0);
    expect((await first).Routed).toBe(2600);
    expect(await shared).toBe(await first);
    expect(await counting.counts()).toBe(await first);
    expect(looks()).toBe(1);
    await clock.advance(1000);
    const later = counting.counts();
    await clock.advance(0);
    await later;
    expect(looks()).toBe(2);
  });

  it("counts few ones anew each time", async () => {
    const groups = [record(live(), standing)];
    const { counter: counting } = counter(groups);
    expect((await counting.counts()).Routed).toBe(1);
    groups.push(record(live(), standing));
    expect((await counting.counts()).Routed).toBe(2);
  });

  it("counts again after a count that failed", async () => {
    let fails = true;
    const flaky = facts({
      hidden: () => {
        if (fails) throw new Error("bug");
        return undefined;
      },
    });
    const { counter: counting } = counter([record(live(), standing)], [], flaky);
    await expect(counting.counts()).rejects.toThrow("bug");
    fails = false;
    expect((await counting.counts()).Routed).toBe(1);
  });
});
