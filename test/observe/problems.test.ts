import { describe, expect, it } from "vitest";
import type { Outcome } from "../../src/claims/claim.ts";
import { ProblemLog } from "../../src/observe/problem-log.ts";
import { Problems } from "../../src/observe/problems.ts";
import type { Problem } from "../../src/observe/problems.ts";
import type { Log } from "../../src/runtime.ts";
import { silentLog } from "../../src/runtime.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { facts, identity, live, record, standing } from "./facts.ts";

/** More than are judged in one go. */
const many = 1000;

function problemLog(outcome: (id: string) => Outcome) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const log: Log = {
    ...silentLog,
    warn(fields, message) {
      logged.push({ level: "warn", ...fields });
      lines.push(String(fields["id"] ?? message));
    },
    info(fields, message) {
      logged.push({ level: "info", ...fields });
      lines.push(`${message}: ${String(fields["id"])}`);
    },
  };
  const written = new ProblemLog({ clock, log });
  const told = (problem: Problem): void => written.take(problem);
  const parts = { clock, facts: facts({ outcome }), isCurrent: () => true, told, gone: () => {} };
  return { clock, lines, logged, problems: new Problems(parts) };
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

  it("names no part that the group's identity lacks", async () => {
    const { clock, logged, problems } = problemLog(() => conflictOf());
    const fleet = { ...identity, share: "fleet" as const, cluster: "", name: "" };
    problems.touched(record(live(), { identity: fleet }));
    await clock.advance(1000);
    expect(Object.keys(logged[0] ?? {})).toEqual([
      "level",
      "kind",
      "namespace",
      "route",
      "id",
      "problem",
      "advice",
    ]);
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

  it.each([
    ["Conflict", {}, conflictOf(), "free the host and uri that are held, or take others"],
    ["Invalid", { Invalid: 1 }, pendingOf(), "correct the declaration"],
    [
      "Forbidden",
      { Forbidden: 1 },
      pendingOf(),
      "take it out of the declaration, or ask whoever owns policy",
    ],
    [
      ...(["Invalid", { Valid: 1, Invalid: 2 }, conflictOf()] as const),
      "free the host and uri that are held, or take others; correct the declaration",
    ],
  ] as const)("advises on what to do: %s", async (state, counts, outcome, advice) => {
    const { clock, logged, problems } = problemLog(() => outcome);
    const stand = live();
    const change = { id: "t-1", identity, counts: { ...counts }, stand };
    problems.touched(record(stand, { id: "t-1", ...(Object.keys(counts).length === 0 ? {} : { change }) }));
    await clock.advance(1000);
    expect(logged).toEqual([
      expect.objectContaining({ level: "warn", advice: expect.stringContaining(advice) as string }),
    ]);
    expect(logged[0]?.["problem"]).toContain(`${state}: `);
  });

  it("tells a member that differs from its group, and advises nothing: its nodes are used", async () => {
    const { clock, logged, problems } = problemLog(() => ({ state: "holds", pairs: [] }));
    const counts = { Valid: 1, SpecMismatch: 1 };
    const change = { id: "t-1", identity, counts, reason: "port is 81", stand: live() };
    problems.touched(record(undefined, { ...standing, id: "t-1", change }));
    await clock.advance(1000);
    expect(logged).toEqual([expect.objectContaining({ level: "info", problem: "SpecMismatch: port is 81" })]);
    expect(logged[0]).not.toHaveProperty("advice");
    // From whom it differs is another one with each Pod that a rollout ends.
    problems.touched(
      record(undefined, { ...standing, id: "t-1", change: { ...change, reason: "port is 82" } }),
    );
    await clock.advance(1000);
    expect(logged).toHaveLength(1);
  });
});
