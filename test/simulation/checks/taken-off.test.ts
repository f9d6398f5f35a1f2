import { expect, test } from "vitest";
import type { Identity } from "../../../src/apisix/types.ts";
import { idOf, labelsOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { Known } from "../wire/knowledge.ts";
import { TakenOff } from "./taken-off.ts";

const instance = "main";
const pod = { share: "", cluster: "west", kind: "pod", namespace: "team", name: "web", route: "web" };
const identity = pod as Identity;
const id = idOf(instance, identity);
const pair = "d.example.com /*";
const ours: Body = { hosts: ["d.example.com"], uris: ["/*"], labels: labelsOf(instance, identity) };
const elsewhere: Body = { ...ours, hosts: ["c.example.com"] };
const taken: Body = { hosts: ["d.example.com"], uris: ["/*"] };

const value = (route: Body): Known => ({ type: "value", value: route });

function takenOff(at: number): TakenOff {
  const off = new TakenOff(instance);
  off.left(pair, id, at);
  return off;
}

test("what was sent while the route stood on the pair, and was taken off it since, was to take nothing there", () => {
  const repeated: Known = { type: "unknown", either: [ours, ours] };
  for (const knownRoute of [value(ours), repeated])
    expect(takenOff(20).isSince(pair, id, { knownRoute, sentAt: 10 })).toBe(true);
});

test("what was sent after it had been taken off was to take the pair", () => {
  expect(takenOff(20).isSince(pair, id, { knownRoute: value(ours), sentAt: 30 })).toBe(false);
});

test("what was sent while it was not known to stand there as ours was to take the pair", () => {
  const others: readonly Known[] = [
    value(elsewhere),
    value(taken),
    { type: "absent" },
    { type: "unknown" },
    { type: "unknown", either: [elsewhere, ours] },
    { type: "unknown", either: [ours, undefined] },
  ];
  for (const knownRoute of others)
    expect(takenOff(20).isSince(pair, id, { knownRoute, sentAt: 10 })).toBe(false);
});

test("what nobody took off, or what stands there again, is not judged by that", () => {
  const request = { knownRoute: value(ours), sentAt: 10 };
  expect(new TakenOff(instance).isSince(pair, id, request)).toBe(false);
  const back = takenOff(20);
  back.stands(pair, id);
  expect(back.isSince(pair, id, request)).toBe(false);
});
