import fc from "fast-check";
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
    expect(askMany(guard, 0, ["a", "b"])).toEqual(["go", "held"]);
    expect(askMany(guard, 59_999, ["c"])).toEqual(["held"]);
    expect(askMany(guard, 60_000, ["b", "d"])).toEqual(["held", "go"]);
  });

  test("a group that was emptied is not counted again when it is deleted", () => {
    const guard = guardOf(1);
    expect(askMany(guard, 0, ["a"])).toEqual(["go"]);
    expect(askMany(guard, 30_000, ["a", "a", "b"])).toEqual(["go", "go", "held"]);
    guard.forget("a");
    expect(askMany(guard, 30_000, ["a"])).toEqual(["held"]);
  });

  test("a source that comes back releases its own group, and counts again when it goes again", () => {
    const guard = guardOf(1);
    askMany(guard, 0, ["a", "b"]);
    guard.release("b");
    guard.release("a");
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
    guard.release("a");
    askMany(guard, 1, ["a"]);
    expect(guard.approve(batch)).toEqual(["b"]);
    expect(guard.isHeld("a")).toBe(true);
  });

  test("it counts once, and leaves the limit to others", () => {
    const guard = guardOf(1);
    askMany(guard, 0, ["a", "b"]);
    guard.approve(guard.status().batch ?? "");
    guard.forget("b");
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

type Step =
  | { readonly do: "ask"; readonly wait: number; readonly id: string; readonly cluster: string }
  | {
      readonly do: "judge";
      readonly wait: number;
      readonly ids: string[];
      readonly cluster: string;
      readonly none: boolean;
    }
  | { readonly do: "release"; readonly id: string };

const anyId = fc.nat(30).map((at) => `i${at}`);
const anyCluster = fc.constantFrom("c1", "c2", "c3");
const anyWait = fc.oneof(fc.nat(100), fc.constantFrom(20_000, 59_999, 60_000));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("ask" as const), wait: anyWait, id: anyId, cluster: anyCluster }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("judge" as const),
      wait: anyWait,
      ids: fc.array(anyId, { maxLength: 6 }),
      cluster: anyCluster,
      none: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), id: anyId }) },
);

/** Groups that were let go for the first time, with when and where. */
class Passes {
  readonly #open = new Set<string>();
  readonly times: { readonly at: number; readonly cluster: string }[] = [];

  let(at: number, cluster: string, ids: readonly string[]): void {
    for (const id of new Set(ids)) if (!this.#open.has(id)) this.times.push({ at, cluster });
    for (const id of ids) this.#open.add(id);
  }

  release(id: string): void {
    this.#open.delete(id);
  }

  /** The most within any 60 s, of one cluster or of all. */
  most(cluster?: string): number {
    const times = this.times.filter((pass) => cluster === undefined || pass.cluster === cluster);
    return Math.max(
      0,
      ...times.map(({ at }) => times.filter((other) => other.at >= at && other.at < at + 60_000).length),
    );
  }
}

test("without approval never more than the limit pass in any 60 s, in each cluster and in all", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom(0, 0.1, 0.3),
      fc.array(anyStep, { maxLength: 60 }),
      (maxDeletes, ratio, steps) => {
        const owned = { cluster: 20, all: 35 };
        const guard = guardOf(maxDeletes, ratio);
        const passes = new Passes();
        let now = 0;
        for (const step of steps) {
          if (step.do === "release") {
            guard.release(step.id);
            passes.release(step.id);
            continue;
          }
          now += step.wait;
          const ids = step.do === "ask" ? [step.id] : step.ids;
          const answer =
            step.do === "ask"
              ? guard.ask(now, step.id, step.cluster, owned)
              : guard.judge(now, step.cluster, ids, owned, { foundNothing: step.none });
          if (answer === "go") passes.let(now, step.cluster, ids);
          expect(ids.some((id) => guard.isHeld(id))).toBe(answer === "held");
        }
        expect(passes.most()).toBeLessThanOrEqual(Math.max(maxDeletes, ratio * owned.all));
        for (const cluster of ["c1", "c2", "c3"])
          expect(passes.most(cluster)).toBeLessThanOrEqual(Math.max(maxDeletes, ratio * owned.cluster));
      },
    ),
    { numRuns: 500 },
  );
});

test("approving a batch releases exactly what was held when it was shown and is still", () => {
  fc.assert(
    fc.property(
      fc.array(anyStep, { maxLength: 40 }),
      fc.array(anyStep, { maxLength: 40 }),
      (before, after) => {
        const guard = guardOf(1);
        const held = new Set<string>();
        const step = (at: number, it: Step): void => {
          if (it.do === "release") {
            guard.release(it.id);
            held.delete(it.id);
          } else if (it.do === "ask") guard.ask(at, it.id, it.cluster, fewOwned);
          else guard.judge(at, it.cluster, it.ids, fewOwned, { foundNothing: it.none });
        };
        for (const it of before) step(0, it);
        for (let at = 0; at <= 30; at++) if (guard.isHeld(`i${at}`)) held.add(`i${at}`);
        const { batch, held: count } = guard.status();
        expect(count).toBe(held.size);
        for (const it of after) step(0, it);
        if (batch === undefined) expect(held.size).toBe(0);
        else expect([...(guard.approve(batch) ?? [])].toSorted()).toEqual([...held].toSorted());
      },
    ),
  );
});
