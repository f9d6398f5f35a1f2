import { expect, it } from "vitest";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { expectedOf } from "../oracle/expected.ts";
import type { Truth } from "../oracle/expected.ts";
import type { Meaning } from "../truth-history.ts";
import { HeardLists } from "../wire/heard-lists.ts";
import { asRemembered } from "./as-remembered.ts";

const fleet = [{ name: "fleet", port: 8080, host: "a.example.com", share: "fleet" }];
const alone = [{ name: "api", port: 8080, host: "b.example.com" }];
const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };

interface Moment {
  readonly from: number;
  readonly routes: typeof alone;
  readonly paused?: true;
}

function meaningOf(pods: readonly Moment[]): Meaning {
  const objects = pods.map(({ routes, paused }, index) =>
    pod({
      ...{ namespace: "shop", name: `pod-${index}`, uid: `uid-${index}`, ip: `10.0.0.${index}`, routes },
      annotations: paused ? { "apisix-translator.io/paused": "true" } : {},
    }),
  );
  const cluster = { name: "east", uid: "e", services: [], slices: [], weight: 100, known: true };
  const clusters = [{ ...cluster, pods: objects, nodes: undefined }];
  const truth: Truth = { instance: "sim", policy, clusters };
  const from = Math.max(...pods.map((each) => each.from));
  return { from, truth, groups: expectedOf(truth), kept: new Map() };
}

const [id = ""] = meaningOf([{ from: 0, routes: fleet }]).groups.keys();

/**
 * Whether the group is declared, in each way in which the last moment can be remembered. `moments`: of one Pod, or of
 * several that change at once; `lists`: when each began and ended.
 */
function declaredIn(
  moments: readonly (readonly Moment[])[],
  lists: readonly (readonly [number, number])[],
): boolean[] {
  const heard = new HeardLists();
  for (const [startedAt, endedAt] of lists)
    heard.add("east", { kind: "pods", startedAt, endedAt, objects: 1 });
  const newestFirst = moments.map(meaningOf).toReversed();
  const history = {
    *since(_: string, from: number): Generator<Meaning, void, void> {
      for (const meaning of newestFirst) {
        yield meaning;
        if (meaning.from <= from) return;
      }
    },
    *underPolicy(): Generator<Meaning, void, void> {},
  };
  const last = newestFirst[0]?.from ?? 0;
  return [...asRemembered(id, "east", last, { history, lists: heard })].map(({ groups }) => groups.has(id));
}

const was: Moment = { from: 0, routes: alone };
const edited: Moment = { from: 100, routes: fleet };
const paused: Moment = { from: 200, routes: fleet, paused: true };
const unheard = [[was], [edited], [paused]];

it.each<[string, boolean[]]>([
  ["none was listed since", declaredIn(unheard, [[50, 51]])],
  [
    "a list began before the pause and ended after it",
    declaredIn(unheard, [
      [50, 51],
      [150, 250],
    ]),
  ],
])("an edit to the group may be heard of together with the pause: %s", (_, ways) => {
  expect(ways).toContain(false);
});

it("likewise an edit that takes it out of the group", () => {
  const moments = [[edited], [{ ...was, from: 150 }], [{ ...paused, routes: alone }]];
  expect(declaredIn(moments, [[120, 121]])).toContain(true);
});

it("several Pods are what they were at one moment", () => {
  const other: Moment = { ...paused, routes: alone };
  const moments = [
    [was, edited],
    [edited, was],
    [paused, other],
  ].map((pods, index) => pods.map((each) => ({ ...each, from: 100 * index })));
  expect(declaredIn(moments, [[50, 51]])).toEqual([true, true]);
});

it.each<[string, boolean[]]>([
  [
    "it was listed before the pause",
    declaredIn(unheard, [
      [50, 51],
      [150, 151],
    ]),
  ],
  ["the Pod was paused when it was first listed", declaredIn(unheard, [[250, 251]])],
  ["there is no pause", declaredIn([[was], [edited], [{ ...edited, from: 200 }]], [[50, 51]])],
  [
    "it has nothing to do with the group",
    declaredIn(
      [[was], [{ ...was, from: 100 }], [{ ...paused, routes: [{ ...alone[0]!, port: 1 }] }]],
      [[50, 51]],
    ),
  ],
])("an edit counts as it is: %s", (_, ways) => {
  expect(ways).not.toContain(false);
});
