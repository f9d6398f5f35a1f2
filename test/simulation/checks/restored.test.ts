import { expect, it } from "vitest";
import type { Identity } from "../../../src/apisix/types.ts";
import { isMerelyRestored } from "./restored.ts";

const fleet: Identity = {
  ...{ kind: "pod", share: "fleet", cluster: "", namespace: "shop", name: "", route: "web" },
};
const ofOne: Identity = { ...fleet, share: "none", cluster: "east", name: "web-0" };
const strange = { host: "192.0.2.9", port: 80, weight: 1 };
const ofWest = { host: "10.1.0.1", port: 8080, weight: 100, metadata: { cluster: "west", name: "web-0" } };
const ofEast = { ...ofWest, metadata: { cluster: "east", name: "web-0" } };

const isCluster = (name: string): boolean => ["east", "west"].includes(name);

it.each([
  ["somebody's node alone", fleet, [strange], true],
  ["a node of a cluster that never was", fleet, [{ ...ofEast, metadata: { cluster: "nowhere" } }], true],
  ["a node of a cluster goes with it", fleet, [strange, ofWest], false],
  ["nodes of two clusters", fleet, [ofEast, ofWest], false],
  ["the group of one object, whose nodes say nothing", ofOne, [strange], false],
])("an emptying takes out no more than somebody put in: %s", (_, identity, nodes, is) => {
  expect(isMerelyRestored(identity, { nodes }, isCluster)).toBe(is);
});
