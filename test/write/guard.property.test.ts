import fc from "fast-check";
import { expect, test } from "vitest";
import { Guard } from "../../src/write/guard.ts";

const fewOwned = { cluster: 3, all: 3 };

function guardOf(maxDeletes: number, maxDeleteRatio = 0): Guard {
  return new Guard({ maxDeletes, maxDeleteRatio }, "term");
}

type Step =
  | { readonly do: "ask"; readonly wait: number; readonly id: string; readonly cluster: string }
  | {
      readonly do: "judge";
      readonly wait: number;
      readonly ids: string[];
      readonly cluster: string;
      readonly none: boolean;
    }
  | { readonly do: "went"; readonly id: string }
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
  { weight: 4, arbitrary: fc.record({ do: fc.constant("went" as const), id: anyId }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), id: anyId }) },
);

/** From when it was let go to when it had gone it may have gone at any moment. */
interface Pass {
  readonly cluster: string;
  readonly from: number;
  to: number;
}

/** Groups that were let go for the first time, with when and where. */
class Passes {
  readonly #open = new Map<string, Pass>();
  readonly #all: Pass[] = [];

  let(at: number, cluster: string, ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#open.has(id)) continue;
      const pass = { cluster, from: at, to: Infinity };
      this.#open.set(id, pass);
      this.#all.push(pass);
    }
  }

  went(at: number, id: string): void {
    const pass = this.#open.get(id);
    if (pass !== undefined) pass.to = Math.min(pass.to, at);
  }

  release(at: number, id: string): void {
    this.went(at, id);
    this.#open.delete(id);
  }

  /** The most that can have gone within any 60 s, of one cluster or of all. */
  most(cluster?: string): number {
    const passes = this.#all.filter((pass) => cluster === undefined || pass.cluster === cluster);
    const within = (end: number): number =>
      passes.filter(({ from, to }) => from <= end && to > end - 60_000).length;
    return Math.max(0, ...passes.map(({ from }) => within(from)));
  }
}

test("without approval never more than the limit go in any 60 s, however long each takes, in each cluster and in all", () => {
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
          if (step.do === "went" || step.do === "release") {
            guard[step.do](now, step.id);
            passes[step.do](now, step.id);
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
            guard.release(at, it.id);
            held.delete(it.id);
          } else if (it.do === "went") guard.went(at, it.id);
          else if (it.do === "ask") guard.ask(at, it.id, it.cluster, fewOwned);
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
