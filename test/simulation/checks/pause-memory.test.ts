import { expect, it } from "vitest";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import type { Truth } from "../oracle/expected.ts";
import { expectedOf } from "../oracle/expected.ts";
import { HeardLists } from "../wire/heard-lists.ts";
import { hasSurelyGiven, isKeptFromMemory } from "./pause-memory.ts";

const shared = [{ name: "web", port: 8080, host: "a.example.com", share: "fleet" }];
const younger = [{ ...shared[0]!, host: "y.example.com" }];
const alone = [{ name: "api", port: 8080, host: "b.example.com" }];
const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64 };

interface Moment {
  readonly from: number;
  readonly routes: typeof alone | "{";
  readonly paused?: true;
  readonly allowed?: readonly string[];
}

function podOf(created: number, { routes, paused }: Pick<Moment, "routes" | "paused">): KubeObject {
  return pod({
    ...{ namespace: "shop", name: `pod-${created}`, uid: `uid-${created}`, ip: "10.0.0.1", routes },
    created: new Date(created * 1000).toISOString(),
    annotations: paused ? { "apisix-translator.io/paused": "true" } : {},
  });
}

/** `hosts`: those alone may be claimed. */
function truthOf(pods: readonly KubeObject[], hosts?: readonly string[]): Truth {
  const cluster = { name: "east", uid: "e", services: [], slices: [], weight: 100, known: true };
  const rules = hosts === undefined ? [] : [{ hosts }];
  return {
    instance: "sim",
    policy: { ...policy, hosts: rules },
    clusters: [{ ...cluster, pods, nodes: undefined }],
  };
}

/** Whether the group, whose spec a Pod created at 5 sets by what its objects are now, may be kept for one created at 1. */
function isKept(
  moments: readonly Moment[],
  listed: readonly number[],
  { created = 1, left }: { readonly created?: number; readonly left?: number } = {},
): boolean {
  const lists = new HeardLists();
  for (const startedAt of listed) {
    if (left !== undefined && startedAt > left) lists.left("east", left);
    lists.add("east", { kind: "pods", startedAt, endedAt: startedAt + 1, objects: 2 });
  }
  const setter = podOf(5, { routes: younger });
  const meanings = moments.map(({ from, ...is }) => {
    const truth = truthOf([podOf(created, is), setter], is.allowed);
    return { from, truth, groups: expectedOf(truth), kept: new Map() };
  });
  const [latest] = meanings.slice(-1);
  const group = [...latest!.groups.values()].find(({ identity }) => identity.share === "fleet")!;
  return isKeptFromMemory(group, latest!.truth, { history: { since: () => newestFirst(meanings) }, lists });
}

function* newestFirst<T>(all: readonly T[]): Generator<T, void, void> {
  yield* all.toReversed();
}

const [declares, breaks, pauses] = [
  { from: 0, routes: shared },
  { from: 100, routes: "{" },
  { from: 200, routes: "{", paused: true },
] as const satisfies readonly Moment[];
const unheard: readonly Moment[] = [declares, breaks, pauses];

it.each<[string, boolean]>([
  ["the edit may have been heard of together with the pause", isKept(unheard, [50])],
  ["likewise by a list that began before the pause and ended after it", isKept(unheard, [50, 199.5])],
  [
    "likewise an edit to another route",
    isKept([declares, { ...breaks, routes: alone }, { ...pauses, routes: alone }], [50]),
  ],
  [
    "likewise, and a later pause follows upon the first unheard",
    isKept([...unheard, { ...breaks, from: 300 }, { ...pauses, from: 400 }], [50, 250]),
  ],
])("what stands may be kept for an older paused Pod: %s", (_, kept) => {
  expect(kept).toBe(true);
});

it.each<[string, boolean]>([
  ["the edit was listed before the pause", isKept(unheard, [50, 150])],
  [
    "the end of its first pause was listed",
    isKept([...unheard, { ...breaks, from: 300 }, { ...pauses, from: 400 }], [50, 250, 350]),
  ],
  ["the Pod was paused when it was first listed", isKept(unheard, [250])],
  ["its cluster has left the configuration since", isKept(unheard, [50, 250], { left: 220 })],
  ["it never declared the group", isKept([{ ...declares, routes: alone }, breaks, pauses], [50])],
  ["it is not paused", isKept([declares, breaks], [50])],
  [
    "policy forbids now what it declared",
    isKept([declares, { ...declares, from: 200, paused: true, allowed: ["y.example.com"] }], [50]),
  ],
  ["it is younger than who sets the spec", isKept(unheard, [50], { created: 9 })],
])("nothing is kept from memory: %s", (_, kept) => {
  expect(kept).toBe(false);
});

interface Readiness {
  readonly from: number;
  readonly ready: boolean;
  readonly paused?: true;
}

/** Whether a paused member surely gave its node when it was heard of last before its pause. */
function gave(
  moments: readonly Readiness[],
  listed: readonly number[],
  { wasUnpaused = true, left }: { readonly wasUnpaused?: boolean; readonly left?: number } = {},
): boolean {
  const lists = new HeardLists();
  for (const startedAt of listed) {
    if (left !== undefined && startedAt > left) lists.left("east", left);
    lists.add("east", { kind: "pods", startedAt, endedAt: startedAt + 1, objects: 1 });
  }
  const meanings = moments.map(({ from, ready, paused }) => {
    const one = podOf(1, { routes: shared, ...(paused ? { paused } : {}) });
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    const object: KubeObject = { ...one, status: { ...(one.status as object), conditions } };
    const truth = truthOf([object]);
    return { from, truth, groups: expectedOf(truth), kept: new Map() };
  });
  const [id = ""] = meanings[0]!.groups.keys();
  const history = { since: () => newestFirst(meanings), wasUnpaused: () => wasUnpaused };
  const node = { id, cluster: "east", uid: "uid-1", host: "10.0.0.1", port: 8080 };
  return hasSurelyGiven(node, moments.at(-1)!.from, { history, lists });
}

const [serves, fails, rests] = [
  { from: 0, ready: true },
  { from: 100, ready: false },
  { from: 200, ready: false, paused: true },
] as const satisfies readonly Readiness[];

it.each<[string, boolean]>([
  ["before its pause", gave([serves, fails, rests], [50])],
  ["before its pause, and listed anew while it is paused", gave([serves, fails, rests], [50, 250])],
  ["before its pause, and ready again unheard", gave([serves, fails, { ...serves, from: 150 }, rests], [50])],
  [
    "before its pause, and ready again in it",
    gave([serves, fails, rests, { ...rests, from: 300, ready: true }], [50]),
  ],
  [
    "never, and it was never anything but paused",
    gave([{ ...rests, ready: true }], [50], { wasUnpaused: false }),
  ],
])("a paused member may have given no node: it was not ready %s", (_, is) => {
  expect(is).toBe(false);
});

it.each<[string, boolean]>([
  [
    "it was not ready in its pause alone",
    gave([serves, { ...rests, ready: true }, { ...rests, from: 300 }], [50, 250]),
  ],
  ["it was listed ready since", gave([serves, fails, { ...serves, from: 150 }, rests], [50, 160])],
  ["who asks has first heard of it in its pause", gave([serves, fails, rests], [250])],
  ["its cluster has left the configuration since", gave([serves, fails, rests], [50, 250], { left: 220 })],
])("the node of a paused member stays: %s", (_, is) => {
  expect(is).toBe(true);
});
