import { expect, it } from "vitest";
import { StageTimes } from "../src/stage-times.ts";
import { VirtualClock } from "./sim/admin/virtual-clock.ts";

/** Work takes as long as it says. */
function stages() {
  const clock = new VirtualClock();
  let now = 0;
  const spent: Record<string, number> = {};
  const times = new StageTimes(
    {
      now: () => now,
      wall: () => now,
      after: (ms, run) => clock.after(ms, run),
      soon: (run) => clock.soon(run),
    },
    (stage, seconds) => (spent[stage] = (spent[stage] ?? 0) + seconds),
  );
  const work = (ms: number): void => void (now += ms);
  return { clock, times, spent, work };
}

it("what one stage does within another's work counts for itself alone, also when it throws", () => {
  const { times, spent, work } = stages();
  work(500);
  times.time("filter", () => {
    work(1000);
    times.time("write", () => work(2000));
    expect(() =>
      times.time("claims", () => {
        work(4000);
        throw new Error("on purpose");
      }),
    ).toThrow("on purpose");
    work(8000);
  });
  work(500);
  expect(times.time("filter", () => "answer")).toBe("answer");
  expect(spent).toEqual({ filter: 9, write: 2, claims: 4 });
});

it("what a stage's timers do, and what shards say, is counted", async () => {
  const { clock, times, spent, work } = stages();
  times.clock("write").after(10, () => work(1000));
  times.clock("write").soon(() => work(2000));
  await clock.advance(20);
  const links = times.links({
    start(_start, on) {
      on.message(new Uint8Array());
      return Promise.resolve({ post() {}, flush() {}, close: () => Promise.resolve() });
    },
    close: () => Promise.resolve(),
  });
  await links.start({ epoch: 1, options: {} as never }, { message: () => work(4000), lost() {} });
  expect(spent).toEqual({ write: 3, shard: 4 });
});
