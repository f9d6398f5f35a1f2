import { beforeEach, describe, expect, it } from "vitest";
import { Portions } from "../../src/write/portions.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

let clock: VirtualClock;
let faults: unknown[];
let portions: Portions;
let handled: number[];

beforeEach(() => {
  clock = new VirtualClock();
  faults = [];
  handled = [];
  portions = new Portions(clock, (error) => faults.push(error));
});

function numbers(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

describe("work in portions", () => {
  it("is done at once if it is little", () => {
    let done = false;
    portions.run(
      numbers(10),
      (item) => handled.push(item),
      () => (done = true),
    );
    expect(handled).toEqual(numbers(10));
    expect(done).toBe(true);
    expect(portions.isRunning).toBe(false);
  });

  it("leaves other turns between its portions, and whoever wants it whole waits", async () => {
    let whole = false;
    const seen: number[] = [];
    const look = (): void => {
      seen.push(handled.length);
      if (handled.length < 1000) clock.soon(look);
    };
    portions.run(numbers(1000), (item) => handled.push(item));
    void portions.whole().then(() => (whole = true));
    expect(portions.isRunning).toBe(true);
    look();
    await clock.advance(0);
    expect(handled).toEqual(numbers(1000));
    expect(whole).toBe(true);
    for (const [turn, count] of seen.entries()) expect(count - (seen[turn - 1] ?? 0)).toBeLessThan(300);
  });

  it("goes on one after the other, each to its end", async () => {
    const ends: string[] = [];
    portions.run(
      numbers(600),
      () => {},
      () => {
        ends.push("first");
        portions.run(
          numbers(1),
          () => {},
          () => ends.push("begun at the end of the first"),
        );
      },
    );
    portions.run(
      numbers(3),
      (item) => handled.push(item),
      () => ends.push("second"),
    );
    expect(handled).toEqual([]);
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    expect(ends).toEqual(["first", "second", "begun at the end of the first"]);
    expect(portions.isRunning).toBe(false);
  });

  it("that fails is a fault, and the next goes on", async () => {
    portions.run(numbers(600), (item) => {
      if (item === 500) throw new Error("on purpose");
    });
    portions.run(numbers(3), (item) => handled.push(item));
    for (let turn = 0; turn < 20; turn++) await clock.advance(0);
    expect(faults).toEqual([new Error("on purpose")]);
    expect(handled).toEqual([0, 1, 2]);
  });
});
