import { describe, expect, test } from "vitest";
import { Guard } from "../../src/write/guard.ts";

const fewOwned = { cluster: 3, all: 3 };
const whole = { foundNothing: false };

function guardOf(maxDeletes: number, maxDeleteRatio = 0): Guard {
  return new Guard({ maxDeletes, maxDeleteRatio }, "term");
}

function askMany(guard: Guard, now: number, ids: readonly string[], cluster = "c1"): string[] {
  return ids.map((id) => guard.ask(now, id, cluster, fewOwned));
}

/** Asks for each in turn, and what may go goes at once. */
function takeMany(guard: Guard, now: number, ids: readonly string[]): string[] {
  const answers = askMany(guard, now, ids);
  for (const id of ids) guard.went(now, id);
  return answers;
}

describe("the limit", () => {
  test("what is over it is held, in each cluster and in all", () => {
    const guard = guardOf(2);
    expect(askMany(guard, 0, ["a", "b", "c"])).toEqual(["go", "go", "held"]);
    expect(guard.isHeld("c")).toBe(true);
    expect(askMany(guard, 0, ["d"], "c2")).toEqual(["held"]);
    expect(guard.status().held).toBe(2);
  });

  test("one cluster's limit leaves room for another where the limit of all allows it", () => {
    const guard = guardOf(1, 0.5);
    const owned = { cluster: 2, all: 8 };
    expect(guard.ask(0, "a", "c1", owned)).toBe("go");
    expect(guard.ask(0, "b", "c1", owned)).toBe("held");
    expect(guard.ask(0, "c", "c2", owned)).toBe("go");
  });

  test("it is a share of what is owned where that is more", () => {
    const guard = guardOf(1, 0.29);
    const ids = Array.from({ length: 30 }, (_, at) => `i${at}`);
    const answers = ids.map((id) => guard.ask(0, id, "c1", { cluster: 100, all: 100 }));
    expect(answers.filter((answer) => answer === "go")).toHaveLength(29);
  });

  test("there is room again after 60 s, but what is held stays held", () => {
    const guard = guardOf(1);
    expect(takeMany(guard, 0, ["a", "b"])).toEqual(["go", "held"]);
    expect(askMany(guard, 59_999, ["c"])).toEqual(["held"]);
    expect(askMany(guard, 60_000, ["b", "d"])).toEqual(["held", "go"]);
  });

  test("what was let go and waits to be written counts until it has gone, and for 60 s from then", () => {
    const guard = guardOf(2);
    expect(askMany(guard, 0, ["a", "b"])).toEqual(["go", "go"]);
    guard.went(5000, "a");
    guard.went(70_000, "b");
    expect(askMany(guard, 70_000, ["c", "d"])).toEqual(["go", "held"]);
    expect(askMany(guard, 129_999, ["e"])).toEqual(["held"]);
    guard.release(130_000, "c");
    expect(askMany(guard, 130_000, ["f", "g"])).toEqual(["go", "held"]);
  });

  test("a group that was emptied is not counted again when it is deleted", () => {
    const guard = guardOf(1);
    expect(askMany(guard, 0, ["a"])).toEqual(["go"]);
    expect(askMany(guard, 30_000, ["a", "a", "b"])).toEqual(["go", "go", "held"]);
    guard.release(30_000, "a");
    expect(askMany(guard, 30_000, ["a"])).toEqual(["held"]);
  });

  test("a source that comes back releases its own group, and counts again when it goes again", () => {
    const guard = guardOf(1);
    askMany(guard, 0, ["a", "b"]);
    guard.release(1, "b");
    guard.release(1, "a");
    expect(guard.status()).toEqual({ held: 0, batch: undefined });
    expect(askMany(guard, 1, ["a"])).toEqual(["held"]);
  });
});

describe("a relist or the start", () => {
  test("over the limit all of it is held", () => {
    const guard = guardOf(3);
    expect(guard.judge(0, "c1", ["a", "b", "c", "d"], fewOwned, whole)).toBe("held");
    expect(guard.status().held).toBe(4);
  });

  test("within the limit all of it goes, and counts", () => {
    const guard = guardOf(3);
    expect(guard.judge(0, "c1", ["a", "b"], fewOwned, whole)).toBe("go");
    expect(askMany(guard, 0, ["c", "d"])).toEqual(["go", "held"]);
  });

  test("what a watch event let go before leaves less room for it", () => {
    const guard = guardOf(3);
    askMany(guard, 0, ["x", "y"]);
    expect(guard.judge(0, "c1", ["x", "a", "b"], fewOwned, whole)).toBe("held");
    expect(guard.isHeld("x")).toBe(false);
    expect(guard.isHeld("a")).toBe(true);
  });

  test("G1: nothing found where ten or more stood: all of it is held, however few they are", () => {
    const guard = guardOf(100);
    expect(guard.judge(0, "c1", ["a"], fewOwned, { foundNothing: true })).toBe("held");
    expect(guard.judge(0, "c1", [], fewOwned, { foundNothing: true })).toBe("go");
  });

  test("one of it is held already: the others are held with it", () => {
    const guard = guardOf(3);
    guard.judge(0, "c1", ["a"], fewOwned, { foundNothing: true });
    expect(guard.judge(0, "c1", ["a", "b"], fewOwned, whole)).toBe("held");
    expect(guard.isHeld("b")).toBe(true);
  });
});

describe("approval", () => {
  test("G1: it releases what was held when its batch was shown, and nothing later", () => {
    const guard = guardOf(0);
    guard.judge(0, "c1", ["a", "b"], fewOwned, whole);
    const { batch = "" } = guard.status();
    askMany(guard, 1, ["later"]);
    expect(guard.status()).toEqual({ held: 3, batch: expect.not.stringMatching(`^${batch}$`) });
    expect(guard.approve(batch)).toEqual(["a", "b"]);
    expect(askMany(guard, 2, ["a", "later"])).toEqual(["go", "held"]);
    expect(guard.approve(guard.status().batch ?? "")).toEqual(["later"]);
    expect(guard.status()).toEqual({ held: 0, batch: undefined });
  });

  test("what came back in between is not released", () => {
    const guard = guardOf(0);
    askMany(guard, 0, ["a", "b"]);
    const { batch = "" } = guard.status();
    guard.release(1, "a");
    askMany(guard, 1, ["a"]);
    expect(guard.approve(batch)).toEqual(["b"]);
    expect(guard.isHeld("a")).toBe(true);
  });

  test("it counts once, and leaves the limit to others", () => {
    const guard = guardOf(1);
    takeMany(guard, 0, ["a", "b"]);
    guard.approve(guard.status().batch ?? "");
    guard.release(60_000, "b");
    expect(askMany(guard, 60_000, ["c"])).toEqual(["go"]);
    expect(askMany(guard, 60_000, ["b"])).toEqual(["held"]);
  });

  test("a batch that is not this term's or was never shown is none", () => {
    const guard = guardOf(0);
    askMany(guard, 0, ["a"]);
    for (const name of [
      "",
      "1",
      "term",
      "term-",
      "term-0",
      "term-2",
      "term-1.0",
      "term-01",
      "other-1",
      "term- 1",
    ])
      expect(guard.approve(name)).toBeUndefined();
    expect(guard.isHeld("a")).toBe(true);
    expect(guard.approve("term-1")).toEqual(["a"]);
    expect(guard.approve("term-1")).toEqual([]);
  });
});
