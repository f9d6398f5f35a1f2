import fc from "fast-check";
import { expect, test } from "vitest";
import { Fifo } from "../../src/write/fifo.ts";

test("what comes first goes first, whatever comes and goes, a thousand and more at a time", () => {
  const amount = fc.integer({ min: 1, max: 2500 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), amount), { maxLength: 20 }), (steps) => {
      const fifo = new Fifo<number>();
      let pushed = 0;
      let taken = 0;
      for (const [isPush, count] of steps)
        for (let each = 0; each < count; each++) {
          if (isPush) fifo.push(pushed++);
          else if (taken === pushed) expect(fifo.shift()).toBeUndefined();
          else if (fifo.shift() !== taken++) throw new Error(`not ${taken - 1}`);
        }
      expect(fifo.size).toBe(pushed - taken);
    }),
    { numRuns: 50 },
  );
});
