import { expect, it } from "vitest";
import { endpointSlice } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import { service } from "../../../src/sim/kubernetes/service.ts";
import type { Truth } from "../oracle/expected.ts";
import { expectedOf } from "../oracle/expected.ts";
import { HeardLists } from "../wire/heard-lists.ts";
import { isKeptByService } from "./kept-by-service.ts";

const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };
const [former, latter] = ["10.0.0.1", "10.0.0.2"];

interface Moment {
  readonly from: number;
  readonly ips: readonly string[];
  readonly paused?: true;
  /** Default `web-1`; undefined: there is no such Service. */
  readonly uid?: string | undefined;
}

function truthOf({ ips, paused, uid }: Moment, share: "none" | "fleet"): Truth {
  const routes = [{ name: "web", port: 8080, host: "a.example.com", share }];
  const annotations = paused ? { "apisix-translator.io/paused": "true" } : {};
  const created = "2026-01-01T00:00:00Z";
  const named = { namespace: "shop", name: "web", ports: [{ port: 8080 }], routes, annotations, created };
  const services = uid === undefined ? [] : [service({ ...named, uid })];
  const endpoints = ips.map((ip) => ({ ip, ready: true }));
  const slices = [endpointSlice({ namespace: "shop", service: "web", endpoints })];
  const cluster = { name: "east", uid: "e", pods: [], services, slices, nodes: undefined, weight: 100 };
  return { instance: "sim", policy, clusters: [{ ...cluster, known: true }] };
}

/** Whether 10.0.0.1 may stand, for a process that heard lists of Services and of slices which began at these times. */
function isKept(
  share: "none" | "fleet",
  moments: readonly Moment[],
  listed: readonly number[] = [],
  listedSlices = listed,
): boolean {
  const lists = new HeardLists();
  const add = (kind: "services" | "endpointslices", all: readonly number[]): void =>
    all.forEach((startedAt) => lists.add("east", { kind, startedAt, endedAt: startedAt + 1, objects: 1 }));
  add("services", listed);
  add("endpointslices", listedSlices);
  const meanings = moments.map((moment) => {
    const truth = truthOf({ uid: "web-1", ...moment }, share);
    return { from: moment.from, truth, groups: expectedOf(truth), kept: new Map() };
  });
  const metadata = share === "none" ? {} : { metadata: { cluster: "east" } };
  const identity = { kind: "service", namespace: "shop", name: "web", route: "web" } as const;
  const since = () => newestFirst(meanings);
  return isKeptByService(
    { host: former, port: 8080, weight: 100, ...metadata },
    { ...identity, share, cluster: share === "none" ? "east" : "" },
    { history: { since }, lists },
  );
}

function* newestFirst<T>(all: readonly T[]): Generator<T, void, void> {
  yield* all.toReversed();
}

const [had, lost, pauses] = [
  { from: 0, ips: [former, latter] },
  { from: 100, ips: [latter] },
  { from: 200, ips: [latter], paused: true },
] as const satisfies readonly Moment[];
const before: readonly Moment[] = [had, lost, pauses];
const since: readonly Moment[] = [had, { ...had, from: 150, paused: true }, pauses];
const replaced: readonly Moment[] = [
  { ...had, uid: "web-0" },
  { from: 100, ips: [], uid: undefined },
  pauses,
];

it.each<[string, boolean]>([
  ["in its pause", isKept("none", since, [50])],
  ["before its pause", isKept("none", before, [50])],
  [
    "before its pause, and was listed gone, but it may have been too late to write that",
    isKept("none", before, [150]),
  ],
  ["and it was that of another one of its name", isKept("none", replaced, [50])],
  ["in its pause, of a fleet group", isKept("fleet", since, [50])],
  ["before its pause, unheard, of a fleet group", isKept("fleet", before, [50])],
  [
    "before its pause, and its slices alone were silent, of a fleet group",
    isKept("fleet", before, [50, 150], [50]),
  ],
  [
    "before a first pause, and its end went unheard, of a fleet group",
    isKept("fleet", [had, { ...pauses, from: 120 }, { ...lost, from: 150 }, pauses], [50, 130]),
  ],
  ["before who asks had listed anything, of a fleet group", isKept("fleet", before, [250])],
])("a paused Service may keep an address that went %s", (_, kept) => {
  expect(kept).toBe(true);
});

it.each<[string, boolean]>([
  ["it is not paused", isKept("none", [had, lost])],
  ["it is not paused, and what has the address may not be ready", isKept("none", [had])],
  ["its pause has ended", isKept("none", [...since, { ...lost, from: 300 }])],
  ["it never had it", isKept("none", [lost, pauses])],
  ["it was listed gone before the pause, of a fleet group", isKept("fleet", before, [50, 150])],
  ["it was another one's that was listed, of a fleet group", isKept("fleet", replaced, [50])],
])("nothing is kept for a paused Service: %s", (_, kept) => {
  expect(kept).toBe(false);
});
