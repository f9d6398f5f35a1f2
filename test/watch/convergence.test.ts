import fc from "fast-check";
import { expect, test } from "vitest";
import {
  proxyFault,
  statusFault,
  wrongListFault,
  type RequestFault,
} from "../../src/sim/kubernetes/faults.ts";
import { withLabels } from "../../src/sim/kubernetes/object-changes.ts";
import { WatchedCluster } from "./watched-cluster.ts";

type Act = (watched: WatchedCluster) => void;

const places = [
  { resource: "pods", verb: "list" },
  { resource: "pods", verb: "watch" },
] as const;
const requestFaults: readonly RequestFault[] = [
  { type: "reset" },
  { type: "hang" },
  { type: "slow", ms: 3_000 },
  { type: "truncate", bytes: 300, clean: true },
  { type: "truncate", bytes: 300, clean: false },
  statusFault(401),
  statusFault(403),
  statusFault(410),
  statusFault(429, 2),
  statusFault(500),
  proxyFault(200),
  wrongListFault("pods", "items missing"),
  wrongListFault("pods", "an item without name"),
];

const names = ["a", "b", "c", "d", "e"];
const withName = (act: (watched: WatchedCluster, name: string, stands: boolean) => void): fc.Arbitrary<Act> =>
  fc.constantFrom(...names).map((name) => (watched) => {
    act(watched, name, watched.cluster.store.get("pods", `shop/${name}`) !== undefined);
  });
const enabled = "apisix-translator.io/enabled";
const watches = (
  act: (watch: { cut(): void; end(): void; fail(code: number): void; silence(): void }) => void,
): Act => {
  return ({ cluster }) => cluster.traffic.openWatches().forEach(act);
};

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  withName((watched, name, stands) => (stands ? watched.removePod(name) : watched.addPod(name))),
  withName((watched, name, stands) => {
    if (!stands) return;
    watched.removePod(name);
    watched.addPod(name);
  }),
  withName(({ cluster }, name, stands) => {
    const toggle = (on: string | undefined): string | null => (on === undefined ? "true" : null);
    if (stands) {
      cluster.store.patch("pods", `shop/${name}`, (pod) =>
        withLabels(pod, { [enabled]: toggle(pod.metadata.labels?.[enabled]) }),
      );
    }
  }),
  fc.constantFrom<Act>(
    watches((watch) => watch.cut()),
    watches((watch) => watch.end()),
    watches((watch) => watch.fail(410)),
    watches((watch) => watch.fail(500)),
    watches((watch) => watch.silence()),
    ({ cluster }) => cluster.store.compact(),
    ({ cluster }) => cluster.store.restoreFromBackup(cluster.store.backup()),
    ({ cluster }) => (cluster.faults.watchList = false),
    ({ network }) => network.stop(),
    ({ network }) => network.start(),
  ),
  fc.tuple(fc.constantFrom(...places), fc.constantFrom(...requestFaults), fc.integer({ min: 1, max: 3 })).map(
    ([place, fault, times]): Act =>
      ({ cluster }) =>
        cluster.faults.onRequest(place, fault, { times }),
  ),
);

const schedule = fc.array(fc.tuple(anyAct, fc.constantFrom(0, 100, 1_000, 10_000, 40_000)), {
  maxLength: 25,
});

test("whatever lists and watches meet, what stands is never deleted, and in the end everything is seen", async () => {
  await fc.assert(
    fc.asyncProperty(
      schedule,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      async (acts, dice) => {
        const draw = (): number => dice.next().value ?? 0.5;
        const watched = new WatchedCluster({ chop: draw, historyLength: 8 });
        watched.addPods(3, "steady");
        for (const [act, pause] of acts) {
          act(watched);
          await watched.clock.advance(pause);
        }
        const { cluster, network, clock } = watched;
        const watchList = cluster.faults.watchList;
        cluster.faults.clear();
        cluster.faults.watchList = watchList;
        network.start();
        // Seven probes that find a silent watch behind, a reopening that hangs, and the longest wait.
        await clock.advance(300_000);
        expect(watched.held).toEqual(watched.truth);
        expect(watched.health).toMatchObject({ state: "synced", objects: watched.truth.size });
        const deleted = watched.events.filter(({ type }) => type === "delete");
        expect(JSON.stringify(deleted)).not.toContain("steady");
        expect(watched.faults).toEqual([]);
        await watched.watch.stop();
      },
    ),
    { numRuns: 40 },
  );
});
