import type { Identity } from "../../src/apisix/types.ts";
import type { Outcome } from "../../src/claims/claim.ts";
import type { ReasonFacts } from "../../src/observe/reasons.ts";
import type { Change, LocalCounts, Stand } from "../../src/shard/change.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import { newRecord } from "../../src/write/group-record.ts";

export const identity: Identity = {
  ...{ share: "none", cluster: "east", kind: "pod", namespace: "shop", name: "web-1", route: "web" },
};

export const id = "t-0000000000000000000000000000000000000001";

/** 2027-01-15T08:00:00.000Z */
export const wall = 1_800_000_000_000;

export const holds: Outcome = { state: "holds", pairs: ["a.example.com /*"] };

export const live = (over: Partial<Extract<Stand, { type: "live" }>> = {}): Stand => ({
  type: "live",
  age: { created: 1, cluster: "east", namespace: "shop", name: "web-1" },
  pairs: ["a.example.com /*"],
  ...{ inherits: false, nodes: 1, bare: false, upstream: false, route: false },
  ...over,
});

export const standing = {
  upstream: { digest: "u" },
  route: { digest: "r", shape: { hosts: ["a.example.com"], uris: ["/*"] } },
};

export function record(stand: Stand | undefined, over: Partial<GroupRecord> = {}): GroupRecord {
  const change: Change | undefined =
    stand === undefined ? undefined : { id, identity, counts: countsOf(stand), stand };
  return { ...newRecord(over.id ?? id, over.identity ?? identity), change, ...over };
}

const countsOf = (stand: Stand): LocalCounts => (stand.type === "absent" ? {} : { Valid: 1 });

/** A healthy leader, with what a test changes. */
export function facts(over: Partial<ReasonFacts> = {}): ReasonFacts {
  return {
    outcome: () => holds,
    hidden: () => undefined,
    isHeld: () => false,
    isPartHeld: () => false,
    title: () => undefined,
    isLeaving: () => false,
    whyHeldForGood: () => undefined,
    batch: () => undefined,
    gateway: () => "up",
    isPaused: () => false,
    nextBurst: () => 0,
    waitsFor: () => undefined,
    now: () => 1000,
    wall: () => wall,
    ...over,
  };
}
