import { expect, it } from "vitest";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { idOf } from "../oracle/ownership.ts";
import { SeededRandom } from "../seeded-random.ts";
import { drawSetup, firstConfiguration } from "../setup.ts";
import { SimCluster } from "../sim-cluster.ts";
import { TruthHistory } from "../truth-history.ts";
import { VirtualTime } from "../virtual-time.ts";
import { HeardLists } from "../wire/heard-lists.ts";
import { isPurgedStill } from "./let-go-by-purge.ts";

/** When a member of a fleet group is declared in a cluster, and, after it, gone. */
type Times = readonly [declared: number, gone: number];

interface Case {
  readonly west: readonly Times[];
  readonly east?: Times;
  /** When lists of `west` began, each of which took 1 ms. */
  readonly lists: readonly number[];
  /** When it was told to purge `west`. */
  readonly purged?: number;
}

const [purgedAt, sentAt] = [100, 300];
const namespace = "shop";
const routes = [{ name: "web", port: 8080, host: "a.example.com", share: "fleet" }];
const identity = { share: "fleet", cluster: "", kind: "pod", namespace, name: "", route: "web" } as const;
const group = { id: idOf("sim", identity), kind: "pod" } as const;

function isLetGo({ west, east, lists, purged = purgedAt }: Case): boolean {
  const random = new SeededRandom(1);
  const setup = { ...drawSetup(random), clusters: ["east", "west"] };
  const configuration = firstConfiguration(setup);
  let now = 0;
  const history = new TruthHistory(
    "sim",
    () => configuration,
    () => now,
  );
  const time = new VirtualTime(random, false);
  const clusters = new Map(setup.clusters.map((name) => [name, new SimCluster(name, setup, time, random)]));
  const all = { west, east: east === undefined ? [] : [east] };
  for (const cluster of clusters.values()) {
    now = 0;
    history.note(cluster);
    for (const [declared, gone] of all[cluster.name as keyof typeof all]) {
      now = declared;
      cluster.store.create("pods", pod({ namespace, name: "web-0", routes }));
      history.note(cluster);
      now = gone;
      cluster.store.remove("pods", `${namespace}/web-0`);
      history.note(cluster);
    }
  }
  const heard = new HeardLists();
  for (const startedAt of lists)
    heard.add("west", { kind: "pods", startedAt, endedAt: startedAt + 1, objects: 0 });
  const process = { lists: heard, purged: new Map([["west", [{ at: purged, uids: [] }]]]) };
  return isPurgedStill({ clusters, history }, process, "west", sentAt, group);
}

it.each<[string, Case, boolean]>([
  ["gone before the purge", { west: [[1, 90]], lists: [2, 200] }, true],
  ["gone after it, out of sight", { west: [[1, 150]], lists: [2, 200] }, true],
  ["gone when it had been listed again", { west: [[1, 210]], lists: [2, 200] }, false],
  ["gone between two lists", { west: [[1, 210]], lists: [2, 200, 220] }, false],
  [
    "come back and gone again",
    {
      west: [
        [1, 90],
        [230, 240],
      ],
      lists: [2, 200],
    },
    false,
  ],
  ["not purged before the request", { west: [[1, 90]], lists: [2, 290, 310], purged: 301 }, false],
  ["gone before the purge elsewhere too", { west: [[1, 90]], east: [1, 95], lists: [2, 200] }, true],
  ["declared elsewhere at the purge", { west: [[1, 90]], east: [1, 150], lists: [2, 200] }, false],
])("of a purged cluster that is back a group is let go still: %s", (_, times, is) => {
  expect(isLetGo(times)).toBe(is);
});
