import { describe, expect, test } from "vitest";
import { WireError } from "../../src/protobuf/wire-error.ts";
import { WatchedCluster } from "./watched-cluster.ts";

const places = [
  ["in a list's pages", false],
  ["in a WatchList's initial events", true],
] as const;

describe("an object that cannot be read", () => {
  test.each(places)(
    "%s voids the list: it is counted, and listed again until it can",
    async (_where, watchList) => {
      let broken = 2;
      const watched = new WatchedCluster({
        emit: (event) => {
          if (event.type === "apply" && event.key.name === "web-1" && broken-- > 0)
            throw new WireError("cut off");
        },
      });
      watched.cluster.faults.watchList = watchList;
      watched.addPods(3);
      await watched.clock.advance(0);
      expect(watched.unreadable).toBe(1);
      expect(watched.health).toMatchObject({
        state: "degraded",
        reason: "an object cannot be read: cut off",
      });
      await watched.clock.advance(10_000);
      expect(watched.unreadable).toBe(2);
      expect(watched.health.state).toBe("synced");
      expect(watched.held).toEqual(watched.truth);
      expect(watched.faults).toEqual([]);
    },
  );

  test("of a watch ends it, and all is listed anew at once; the kind stays synced", async () => {
    let isBroken = false;
    const watched = new WatchedCluster({
      emit: (event) => {
        if (event.type !== "apply" || !isBroken) return;
        isBroken = false;
        throw new WireError("cut off");
      },
    });
    watched.addPods(2);
    await watched.clock.advance(0);
    const asked = watched.requestCount;
    isBroken = true;
    watched.addPod("late");
    await watched.clock.advance(0);
    expect(watched.asked(asked)).toEqual(["watchList"]);
    expect([watched.unreadable, watched.health.state]).toEqual([1, "synced"]);
    expect(watched.held).toEqual(watched.truth);
    expect(watched.faults).toEqual([]);
  });
});
