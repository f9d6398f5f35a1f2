import { describe, expect, it } from "vitest";
import { Watchdog } from "../../src/shard/watchdog.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

/** A shard that is asked something and says nothing; `cores`: which part of a core its thread gets meanwhile. */
function silentShard(cores?: number | (() => Promise<number>)) {
  const clock = new VirtualClock();
  const found: number[] = [];
  const used = (): Promise<number> =>
    typeof cores === "function" ? cores() : Promise.resolve((clock.now() / 1000) * (cores ?? 0));
  const watchdog = new Watchdog({
    ...{ clock, patience: 5000, isBusy: () => true, hangs: () => found.push(clock.now()) },
    ...(cores === undefined ? {} : { used }),
  });
  watchdog.watch();
  return { clock, watchdog, found };
}

describe("a shard that answers nothing", () => {
  it.each([
    ["without a thread of its own", undefined],
    ["whose thread has a core", 1],
    ["whose thread shares a core with others", 0.7],
  ])("%s hangs within 5 s", async (_, cores) => {
    const { clock, found } = silentShard(cores);
    await clock.advance(5000);
    expect(found).toEqual([4000]);
  });

  it("and gets a tenth of a core is waited for until it has used what a hang uses", async () => {
    const { clock, found } = silentShard(0.1);
    await clock.advance(20_000);
    expect(found).toEqual([]);
    await clock.advance(5000);
    expect(found).toEqual([21_000]);
  });

  it("and uses no CPU at all hangs after 30 s: it waits for what does not come", async () => {
    const { clock, found } = silentShard(0);
    await clock.advance(60_000);
    expect(found).toEqual([30_000]);
  });

  it("and cannot even be asked what it has used hangs after 30 s", async () => {
    const { clock, found } = silentShard(() => new Promise(() => {}));
    await clock.advance(60_000);
    expect(found).toEqual([30_000]);
  });

  it("for want of a core is not blamed once it has answered", async () => {
    const { clock, watchdog, found } = silentShard(0.1);
    for (let seconds = 0; seconds < 300; seconds += 10) {
      await clock.advance(10_000);
      watchdog.heard();
    }
    expect(found).toEqual([]);
  });
});
