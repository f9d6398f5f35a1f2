import { expect, it } from "vitest";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import type { Truth } from "../oracle/expected.ts";
import { expectedOf } from "../oracle/expected.ts";
import { HeardLists } from "../wire/heard-lists.ts";
import { isKeptForSuccessor } from "./former-node.ts";

const routes = [{ name: "web", port: 8080, host: "a.example.com", share: "fleet" }];
const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };

interface Moment {
  readonly from: number;
  /** The last part of its address, and its uid; undefined: there is no Pod of the name. */
  readonly is?: number;
  readonly paused?: true;
  /** Who the cluster is by then. */
  readonly uid?: string;
}

function truthOf({ is, paused, uid = "e" }: Moment): Truth {
  const annotations = paused ? { "apisix-translator.io/paused": "true" } : {};
  const named = { namespace: "shop", name: "web-0", routes, annotations };
  const pods = is === undefined ? [] : [pod({ ...named, uid: `uid-${is}`, ip: `10.0.0.${is}` })];
  const cluster = { name: "east", uid, services: [], slices: [], weight: 100, known: true };
  return { instance: "sim", policy, clusters: [{ ...cluster, pods, nodes: undefined }] };
}

/** Whether the node 10.0.0.1 of `owner` may stand, for a process that heard lists which began, and ended, at these times. */
function isKept(
  moments: readonly Moment[],
  listed: readonly (readonly [number, number])[],
  owner = "web-0",
): boolean {
  const lists = new HeardLists();
  for (const [startedAt, endedAt] of listed)
    lists.add("east", { kind: "pods", startedAt, endedAt, objects: 1 });
  const meanings = moments.map((moment) => {
    const truth = truthOf(moment);
    return { from: moment.from, truth, groups: expectedOf(truth), kept: new Map() };
  });
  const node = { host: "10.0.0.1", port: 8080, weight: 100, metadata: { cluster: "east", name: owner } };
  const identity = {
    share: "fleet",
    cluster: "",
    kind: "pod",
    namespace: "shop",
    name: "",
    route: "web",
  } as const;
  return isKeptForSuccessor(node, identity, { history: { since: () => newestFirst(meanings) }, lists });
}

function* newestFirst<T>(all: readonly T[]): Generator<T, void, void> {
  yield* all.toReversed();
}

const replaced: readonly Moment[] = [
  { from: 0, is: 1 },
  { from: 100 },
  { from: 200, is: 2 },
  { from: 300, is: 2, paused: true },
];

const rebuilt: readonly Moment[] = [
  { from: 0, is: 1 },
  { from: 200, is: 2, uid: "new" },
  { from: 300, is: 2, uid: "new", paused: true },
];

it.each<[string, boolean]>([
  [
    "its cluster was built anew, and listed first when it was paused",
    isKept(rebuilt, [
      [50, 60],
      [400, 410],
    ]),
  ],
  ["its name was listed first when it was paused", isKept(replaced, [[400, 410]])],
  ["that list began before the pause, and may have been read after it", isKept(replaced, [[250, 310]])],
  [
    "likewise, and something else has changed since",
    isKept([...replaced, { from: 350, is: 2, paused: true }], [[320, 330]]),
  ],
])("what an ended Pod gave may be kept for a paused one of its name: %s", (_, kept) => {
  expect(kept).toBe(true);
});

it.each<[string, boolean]>([
  ["the ended one was listed", isKept(replaced, [[50, 60]])],
  ["the other one was listed before its pause", isKept(replaced, [[250, 260]])],
  [
    "the cluster that was built anew was listed before its pause",
    isKept(rebuilt, [
      [50, 60],
      [250, 260],
    ]),
  ],
  ["it is not paused", isKept(replaced.slice(0, 3), [[400, 410]])],
  ["it has gone too", isKept([...replaced, { from: 350 }], [[400, 410]])],
  ["no other one had the name", isKept([{ from: 0, is: 2, paused: true }], [[400, 410]])],
  ["the node is another's", isKept(replaced, [[400, 410]], "web-1")],
])("nothing of an ended Pod is kept: %s", (_, kept) => {
  expect(kept).toBe(false);
});
