import { describe, expect, it } from "vitest";
import type { Body } from "../oracle/ownership.ts";
import { Knowledge } from "./knowledge.ts";

const id = "t-1";
const ours = { labels: { "managed-by": "apisix-translator" } };
const strangers = { labels: {} };

/** What was last read of an upstream after a look at all that began at this time, and found `value` there. */
function lastReadAfterLook(knowledge: Knowledge, at: number, value: Body | undefined): Body | undefined {
  const upstreams = value === undefined ? [] : [{ id, value }];
  for (const [n, collection] of (["routes", "services", "upstreams"] as const).entries()) {
    const items = collection === "upstreams" ? upstreams : [];
    knowledge.listed(collection, { items, sentAt: at + n, at: at + n, heardAt: at + n + 1 });
  }
  return knowledge.lastReads.of("upstreams", id);
}

/** Read at 0, and then a write of its route had no answer at 10. */
function uncertain(value: Body): Knowledge {
  const knowledge = new Knowledge();
  knowledge.read("upstreams", id, value, 0);
  knowledge.troubled(10);
  knowledge.unanswered("routes", id, undefined);
  return knowledge;
}

describe("whose an object is, while a request of its id is open", () => {
  it("is what a look at all has found since: a late write of ours over a stranger's", () => {
    expect(lastReadAfterLook(uncertain(strangers), 20, ours)).toBe(ours);
  });

  it("is what a look at all has found since: a stranger's", () => {
    expect(lastReadAfterLook(uncertain(ours), 20, strangers)).toBe(strangers);
  });

  it("is nobody's once a look at all finds nothing", () => {
    expect(lastReadAfterLook(uncertain(strangers), 20, undefined)).toBeUndefined();
  });

  it("is not what a look found that began before it was read", () => {
    const knowledge = uncertain(strangers);
    knowledge.read("upstreams", id, strangers, 30);
    expect(lastReadAfterLook(knowledge, 20, ours)).toBe(strangers);
  });

  it("is ours from a write of ours that was acknowledged", () => {
    const knowledge = uncertain(strangers);
    knowledge.written("upstreams", id, ours, 30);
    expect(lastReadAfterLook(knowledge, 20, strangers)).toBe(ours);
  });
});
