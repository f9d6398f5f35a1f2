import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { times } from "./leases.ts";
import { LeaseWorld, type Disturbance } from "./world.ts";

const disturbed = 120_000;
/** A Lease that was taken late in the disturbance, two attempts that failed, and the way there and back. */
const patience = times.duration + 3 * 2.2 * times.retryPeriod + 2000;

const disturbances = (
  kinds: readonly Disturbance["kind"][],
  from = 0,
): fc.Arbitrary<readonly Disturbance[]> =>
  fc.array(
    fc.record({
      at: fc.integer({ min: from, max: disturbed }),
      who: fc.nat({ max: 4 }),
      length: fc.integer({ min: 1, max: 45_000 }),
      kind: fc.constantFrom(...kinds),
    }),
    { maxLength: 14 },
  );

/** Of a linear congruential generator: what follows from the seed is the same everywhere. */
function chance(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const electors = fc.integer({ min: 2, max: 5 });
const seed = fc.integer({ min: 1, max: 2 ** 30 });

describe("among electors of one Lease", () => {
  const noTwo = (restarts: boolean, happening: fc.Arbitrary<readonly Disturbance[]>): void =>
    fc.assert(
      fc.property(electors, seed, happening, (count, start, happens) => {
        const world = new LeaseWorld(count, chance(start), { restarts });
        for (const disturbance of happens) world.disturb(disturbance);
        world.run(disturbed + 60_000);
        expect(world.breaches).toEqual([]);
      }),
      { numRuns: 150 },
    );

  it("no two could write at the same time, whatever lines and processes do", () => {
    noTwo(true, disturbances(["deaf", "mute", "late", "pause", "crash", "stop"]));
  });

  // Who has never seen the Lease takes one that is not there for one that never was.
  it("nor where somebody deletes a Lease that all have seen", () => {
    noTwo(false, disturbances(["deaf", "mute", "pause", "delete", "crash"], 5000));
  });

  it("nor where one is deaf while a Lease was made and deleted again between two deletions that it saw", () => {
    const world = new LeaseWorld(4, chance(527_433_681), { restarts: false });
    for (const at of [22_226, 71_370, 74_070, 94_539])
      world.disturb({ at, who: 0, length: 1, kind: "delete" });
    world.disturb({ at: 74_070, who: 1, length: 21_540, kind: "deaf" });
    world.run(disturbed + 60_000);
    expect(world.breaches).toEqual([]);
  });

  it("one leads within the duration and some retry periods after the last disturbance, and goes on leading", () => {
    fc.assert(
      fc.property(
        electors,
        seed,
        disturbances(["deaf", "mute", "pause", "crash", "stop"]),
        (count, start, happens) => {
          const world = new LeaseWorld(count, chance(start));
          for (const disturbance of happens) world.disturb(disturbance);
          const quiet = Math.max(0, ...happens.map(({ at, length }) => at + length));
          world.run(quiet + patience);
          const leaders = world.leaders();
          expect(leaders).toHaveLength(1);
          world.run(quiet + patience + 60_000);
          expect(world.leaders()).toEqual(leaders);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("L3: the next one leads within a retry period of a release, and L1, L2: of the end of a holder's time", () => {
    fc.assert(
      fc.property(electors, seed, fc.constantFrom("stop", "crash", "pause", "deaf"), (count, start, kind) => {
        const world = new LeaseWorld(count, chance(start), { restarts: false });
        world.run(30_000);
        const [first] = world.terms;
        const who = Number(first?.split("@")[0]);
        world.disturb({ at: 30_000, who, kind, length: 40_000 });
        world.run(90_000);
        const [, second] = world.terms;
        const took = Number(second?.split("@")[1]) - 30_000;
        const due = (kind === "stop" ? 0 : times.duration) + 1.1 * times.retryPeriod;
        expect([world.terms.length, world.breaches]).toEqual([2, []]);
        expect(took).toBeLessThan(due + 2.2 * times.retryPeriod);
      }),
      { numRuns: 60 },
    );
  });
});
