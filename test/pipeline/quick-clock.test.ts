import { expect, it } from "vitest";
import { QuickClock } from "./quick-clock.ts";

const ended = (clock: QuickClock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve));

it("runs what is due in order, those due at once as they were set, and nothing that was cancelled", async () => {
  const clock = new QuickClock(20);
  const ran: string[] = [];
  clock.after(40, () => ran.push("late"));
  const cancel = clock.after(20, () => ran.push("never"));
  clock.after(0, () => ran.push("first"));
  clock.after(0, () => ran.push("second"));
  cancel();
  await ended(clock, 60);
  expect(ran).toEqual(["first", "second", "late"]);
});

it("is never ahead of its speed, and counts little of a time in which nothing had its turn", async () => {
  const clock = new QuickClock(20);
  const [started, from] = [performance.now(), clock.now()];
  await ended(clock, 100);
  expect(clock.now() - from).toBeGreaterThanOrEqual(100);
  expect(clock.now() - from).toBeLessThanOrEqual((performance.now() - started) * 20);
  const before = clock.now();
  for (const stuck = performance.now(); performance.now() - stuck < 50;);
  expect(clock.now() - before).toBeLessThanOrEqual(4 * 20);
});

it("does nothing any more once it is stopped", async () => {
  const clock = new QuickClock(20);
  let ran = 0;
  clock.after(1, () => ran++);
  clock.stop();
  clock.after(1, () => ran++);
  await ended(new QuickClock(1), 5);
  expect(ran).toBe(0);
});
