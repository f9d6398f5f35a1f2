import { describe, expect, test } from "vitest";
import type { Log, LogFields } from "../../src/runtime.ts";
import { silentLog } from "../../src/runtime.ts";
import { statusFault } from "../../src/sim/kubernetes/faults.ts";
import { WatchedCluster } from "./watched-cluster.ts";

interface Scene {
  readonly watched: WatchedCluster;
  readonly errors: LogFields[];
}

/** Two Pods, synced, and a second token that the server takes. */
async function scene(): Promise<Scene> {
  const errors: LogFields[] = [];
  const log: Log = { ...silentLog, error: (fields) => errors.push(fields), child: () => log };
  const watched = new WatchedCluster({ log });
  watched.addPods(2);
  await watched.clock.advance(100);
  watched.cluster.access.tokens.add("new-token");
  return { watched, errors };
}

async function renew({ watched }: Scene, token: string): Promise<void> {
  watched.token = token;
  watched.stale();
  await watched.clock.advance(500);
}

describe("M4 credentials that rotate", () => {
  test("good ones: the new session goes on where the old one was, without a list, and the old one ends", async () => {
    const { watched, errors } = await scene();
    const from = watched.requestCount;
    await renew({ watched, errors }, "new-token");
    watched.cluster.access.tokens.delete("sim-token");
    expect(watched.asked(from).filter((asked) => asked.includes("ist"))).toEqual([]);
    expect(watched.closed).toBe(1);
    watched.addPod("later");
    watched.removePod("web-0");
    await watched.clock.advance(100);
    expect(watched.said()).toEqual(["identity", "apply", "apply", "synced", "identity", "apply", "delete"]);
    expect(watched.events.at(-1)).toMatchObject({ session: 2 });
    expect(watched.health).toMatchObject({ state: "synced", objects: 2 });
    expect(watched.cluster.traffic.openWatches("pods")).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test("bad ones: the old session goes on, and that is said once, until they are good", async () => {
    const { watched, errors } = await scene();
    await renew({ watched, errors }, "wrong-token");
    watched.addPod("later");
    await watched.clock.advance(120_000);
    expect(watched.health).toMatchObject({ state: "synced", objects: 3 });
    expect(watched.watch.trouble).toMatch(/401/);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ reason: expect.stringMatching(/401/), advice: expect.any(String) });
    watched.token = "new-token";
    await watched.clock.advance(60_000);
    expect(watched.watch.trouble).toBeUndefined();
    expect(watched.events.at(-1)).toMatchObject({ type: "identity", session: 2 });
  });

  test.each([
    ["may not list what is watched", "list"],
    ["may not watch it", "watch"],
  ] as const)("ones that %s do not take over", async (_what, verb) => {
    const { watched, errors } = await scene();
    const mend = watched.cluster.faults.onRequest({ resource: "pods", verb }, statusFault(403));
    await renew({ watched, errors }, "new-token");
    expect(watched.watch.trouble).toMatch(/403/);
    expect(watched.said()).toEqual(["identity", "apply", "apply", "synced"]);
    mend();
    await watched.clock.advance(60_000);
    expect(watched.watch.trouble).toBeUndefined();
  });

  test("M3 ones of another cluster do not take over", async () => {
    const { watched, errors } = await scene();
    watched.cluster.faults.identity = "somebody-else";
    await renew({ watched, errors }, "new-token");
    expect(watched.watch.trouble).toMatch(/another cluster answers/);
    expect(watched.said()).toEqual(["identity", "apply", "apply", "synced"]);
  });

  test("a session that was cut off for its credentials goes on with good ones at once", async () => {
    const { watched, errors } = await scene();
    watched.cluster.access.tokens.delete("sim-token");
    for (const watch of watched.cluster.traffic.openWatches()) watch.fail(410);
    await watched.clock.advance(60_000);
    expect(watched.health.state).toBe("degraded");
    await renew({ watched, errors }, "new-token");
    expect(watched.health).toMatchObject({ state: "synced", objects: 2 });
  });
});
