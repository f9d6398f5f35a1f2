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

/** East is out of sight. */
const clusters = {
  has: (name: string) => ["east", "west"].includes(name),
  isUnseen: (name: string) => name === "east",
};

it.each([
  ["somebody's node alone, in a group that stays for who is unseen", fleet, [strange], ["east"], true],
  ["likewise, where a cluster in sight has a part too", fleet, [strange], ["east", "west"], true],
  ["a node of a cluster in sight goes with it", fleet, [strange, ofWest], ["east", "west"], false],
  ["a node of the unseen cluster goes with it", fleet, [strange, ofEast], ["east"], false],
  ["every cluster with a part is seen: the group leaves", fleet, [strange], ["west"], false],
  ["the group of one object, whose nodes say nothing", ofOne, [strange], ["east"], false],
])("an emptying takes out no more than somebody put in: %s", (_, identity, nodes, parts, is) => {
  expect(isMerelyRestored(identity, { nodes }, parts, clusters)).toBe(is);
});
