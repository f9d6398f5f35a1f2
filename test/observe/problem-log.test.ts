import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/claims/claim.ts";
import { ProblemLog } from "../../src/observe/problem-log.ts";
import type { Log } from "../../src/runtime.ts";
import { silentLog } from "../../src/runtime.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { facts, live, record } from "./facts.ts";

/** More than are judged in one go. */
const many = 1000;

function problemLog(outcome: (id: string) => Outcome) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields, message) => lines.push(String(fields["id"] ?? message)),
    info: (fields, message) => lines.push(`${message}: ${String(fields["id"])}`),
  };
  return { clock, lines, problems: new ProblemLog({ clock, log, facts: facts({ outcome }) }) };
}

const groups = Array.from({ length: many }, (_, index): GroupRecord => record(live(), { id: `t-${index}` }));
const conflictOf = (): Outcome => ({
  state: "conflict",
  blockers: [{ pair: "a.example.com /*", by: "t-x", foreign: false }],
});
const pendingOf = (): Outcome => ({ state: "pending" });

describe("the log of problems", () => {
  it("finds the one problem among more groups than it judges at once", async () => {
    const { clock, lines, problems } = problemLog((id) => (id === "t-999" ? conflictOf() : pendingOf()));
    for (const group of groups) problems.touched(group);
    await clock.advance(1000);
    expect(lines).toEqual(["t-999"]);
  });

  it("judges what was pending again when a burst is over, however much it is", async () => {
    let outcome = pendingOf();
    const { clock, lines, problems } = problemLog((id) => (id === "t-999" ? outcome : pendingOf()));
    for (const group of groups) problems.touched(group);
    await clock.advance(1000);
    expect(lines).toEqual([]);
    outcome = conflictOf();
    problems.review();
    await clock.advance(1000);
    expect(lines).toEqual(["t-999"]);
  });

  it("tells a problem once, and once that it has ended", async () => {
    let outcome = conflictOf();
    const { clock, lines, problems } = problemLog(() => outcome);
    const group = record(live(), { id: "t-1" });
    for (let round = 0; round < 3; round++) {
      problems.touched(group);
      await clock.advance(1000);
    }
    expect(lines).toEqual(["t-1"]);
    outcome = { state: "holds", pairs: [] };
    problems.touched(group);
    await clock.advance(1000);
    expect(lines.slice(1)).toEqual(["a problem with a declaration has ended: t-1"]);
  });
});
