import { describe, expect, it } from "vitest";
import { Knowledge } from "./knowledge.ts";
import type { Known } from "./knowledge.ts";

const id = "t-1";
const route = { uri: "/*" };

/** What came over the wire: an upstream that was written after a write of the route had had no answer, at 0. */
function uncertain(): Knowledge {
  const knowledge = new Knowledge();
  knowledge.troubled(0);
  knowledge.unanswered("routes", id, route);
  knowledge.written("upstreams", id, {}, 0);
  return knowledge;
}

function lookAtBoth(knowledge: Knowledge, at: number, meanwhile = (): void => {}): void {
  knowledge.begins("upstreams", id);
  knowledge.read("upstreams", id, {}, at);
  knowledge.ends(id, at);
  meanwhile();
  knowledge.begins("routes", id);
  knowledge.read("routes", id, route, at);
  knowledge.ends(id, at);
}

/** What it takes for standing once a look at all has found nothing. */
function afterEmptyLists(knowledge: Knowledge, at: number): Known["type"] {
  for (const [n, collection] of (["routes", "services", "upstreams"] as const).entries())
    knowledge.listed(collection, { items: [], sentAt: at + n, at: at + n, heardAt: at + n + 1 });
  return knowledge.of("routes", id).type;
}

describe("what a process knows of an id that is uncertain", () => {
  it("is what it read last, not what a look at all has found since", () => {
    const knowledge = uncertain();
    lookAtBoth(knowledge, 5000);
    expect(afterEmptyLists(knowledge, 6000)).toBe("value");
  });

  it("is what a look at all has found, once it was read back for good", () => {
    const knowledge = uncertain();
    lookAtBoth(knowledge, 10_000);
    expect(afterEmptyLists(knowledge, 11_000)).toBe("absent");
  });

  it("is what it read last still, where answers had not been normal for long when it read that", () => {
    const knowledge = uncertain();
    knowledge.troubled(15_000);
    lookAtBoth(knowledge, 20_000);
    expect(afterEmptyLists(knowledge, 21_000)).toBe("value");
    lookAtBoth(knowledge, 25_000);
    expect(afterEmptyLists(knowledge, 26_000)).toBe("absent");
  });

  it("does not hang on trouble that came while it was read back", () => {
    const knowledge = uncertain();
    lookAtBoth(knowledge, 10_000, () => knowledge.troubled(10_000));
    expect(afterEmptyLists(knowledge, 11_000)).toBe("absent");
  });

  it("hangs on the trouble before the look that read both, not before one that read a half", () => {
    const knowledge = uncertain();
    knowledge.begins("upstreams", id);
    knowledge.read("upstreams", id, {}, 9000);
    knowledge.ends(id, 9000);
    knowledge.troubled(15_000);
    lookAtBoth(knowledge, 20_000);
    expect(afterEmptyLists(knowledge, 21_000)).toBe("value");
  });
});
