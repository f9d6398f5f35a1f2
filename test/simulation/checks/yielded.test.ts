import { expect, it } from "vitest";
import type { Identity } from "../../../src/apisix/types.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { expectedOf } from "../oracle/expected.ts";
import { idOf } from "../oracle/ownership.ts";
import type { Meaning } from "../truth-history.ts";
import { isWantedByAnother, yields } from "./yielded.ts";

const namespace = "shop";
const identity: Identity = {
  share: "none",
  cluster: "east",
  kind: "pod",
  namespace,
  name: "a",
  route: "web",
};
const id = idOf("sim", identity);
const pairs = ["a.example.com /*", "b.example.com /*"];

function declaring(name: string, routes: string | readonly object[], extra: object = {}): KubeObject {
  const object = pod({ namespace, name, routes, ...extra });
  const metadata = { ...object.metadata, uid: name, creationTimestamp: "2026-01-01T00:00:00Z" };
  return { ...object, metadata };
}

const web = (...hosts: readonly string[]): object[] => [{ name: "web", port: 8080, hosts }];

function meaningOf(pods: readonly KubeObject[]): Meaning {
  const objects = { pods, services: [], slices: [], nodes: undefined };
  const cluster = { ...objects, name: "east", uid: "e", weight: 100, known: true };
  const policy = { defaultHost: undefined, plugins: [], fleet: true, maxNodes: 64, hosts: [] };
  const truth = { instance: "sim", policy, clusters: [cluster] };
  return { from: 0, groups: expectedOf(truth), truth, kept: new Map() };
}

it.each([
  ["it declares another host", [declaring("a", web("c.example.com"))], true],
  ["it declares one of them still", [declaring("a", web("b.example.com", "c.example.com"))], false],
  ["its object is gone", [], false],
  ["it is taken out of the annotation", [declaring("a", "[]")], false],
  ["its annotation cannot be read", [declaring("a", "[")], false],
  ["it is invalid", [declaring("a", [{ name: "web", port: "none", host: "c.example.com" }])], false],
  [
    "it is paused",
    [declaring("a", web("c.example.com"), { annotations: { "apisix-translator.io/paused": "true" } })],
    false,
  ],
])(
  "a route may yield what it stands on where its group is declared and wants none of it: %s",
  (_, pods, is) => {
    expect(yields(meaningOf(pods), id, pairs)).toBe(is);
  },
);

it.each([
  ["another declares one of its hosts", [declaring("b", web("b.example.com", "d.example.com"))], true],
  ["another declares other hosts", [declaring("b", web("d.example.com"))], false],
  ["only its own group does", [declaring("a", web("b.example.com"))], false],
])("a route yields to whoever wants it: %s", (_, pods, is) => {
  expect(isWantedByAnother(meaningOf(pods), id, pairs)).toBe(is);
});
