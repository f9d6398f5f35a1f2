import { expect, it } from "vitest";
import type { Outcome } from "../../../src/claims/claim.ts";
import { ProblemEvents } from "../../../src/observe/events/problem-events.ts";
import { Problems } from "../../../src/observe/problems.ts";
import type { Explained } from "../../../src/shard/protocol.ts";
import type { GroupRecord } from "../../../src/write/group-record.ts";
import { VirtualClock } from "../../sim/admin/virtual-clock.ts";
import { facts, holds, id, identity, live, record, standing } from "../facts.ts";

const conflict: Outcome = {
  state: "conflict",
  blockers: [{ pair: "a.example.com /*", by: "t-x", foreign: false }],
};

const member: Explained = {
  ...{ cluster: "east", kind: "pod", namespace: "shop", name: "web-1", route: "web" },
  ...{ state: "Valid", reason: "", hosts: ["a.example.com"], uris: ["/*"], id, nodes: 1 },
};

/** What may be different between the finding of a problem and its telling. */
function world() {
  const clock = new VirtualClock();
  const now = {
    outcome: conflict,
    uid: "uid-1" as string | undefined,
    record: record(live()) as GroupRecord | undefined,
    members: [member],
    asked: () => {},
  };
  const sent: string[] = [];
  const about = facts({ outcome: () => now.outcome });
  const events: ProblemEvents = new ProblemEvents({
    ...{ clock, instance: "default", facts: about },
    record: () => now.record,
    explain: () => {
      now.asked();
      return Promise.resolve(now.members);
    },
    uidOf: () => now.uid,
    send: (_key, { type, reason }) => sent.push(`${type} ${reason}`),
    gone: (gone) => problems.forget(gone),
    onFault: (error) => sent.push(String(error)),
  });
  const problems: Problems = new Problems({
    ...{ clock, facts: about },
    isCurrent: (one) => one === now.record,
    told: (problem) => events.take(problem),
    gone: (gone) => events.forget(gone),
  });
  const touch = async (): Promise<void> => {
    if (now.record !== undefined) {
      problems.touched(now.record);
      events.touched(now.record.id);
    }
    await clock.advance(2000);
  };
  const review = async (): Promise<void> => {
    problems.review();
    events.review();
    await clock.advance(2000);
  };
  return { now, sent, problems, events, touch, review };
}

type World = ReturnType<typeof world>;

it.each<[string, (now: World["now"]) => void]>([
  ["its holder's route is being deleted", (now) => (now.outcome = { state: "pending" })],
  ["its object is not held for a moment", (now) => (now.uid = undefined)],
  ["its shard does not know it for a moment", (now) => (now.members = [])],
])(
  "a problem that cannot be told when it is found, for %s, is told at the next review, once",
  async (_, hide) => {
    const { now, sent, touch, review } = world();
    now.asked = () => hide(now);
    await touch();
    expect(sent).toEqual([]);
    Object.assign(now, { outcome: conflict, uid: "uid-1", members: [member], asked: () => {} });
    await review();
    expect(sent).toEqual(["Warning Conflict"]);
    await review();
    await touch();
    expect(sent).toHaveLength(1);
  },
);

it("a problem of a group that is gone when it is told is told when the group is back, without a burst", async () => {
  const { now, sent, touch } = world();
  now.asked = () => (now.record = undefined);
  await touch();
  now.asked = () => {};
  now.record = record(live());
  await touch();
  expect(sent).toEqual(["Warning Conflict"]);
});

it("what was told of a group that goes with its problem is forgotten: memory, and news when it comes back", async () => {
  const { now, sent, touch, problems } = world();
  await touch();
  const old = now.record!;
  now.record = undefined;
  problems.touched(old);
  await touch();
  now.record = record(live());
  await touch();
  expect(sent).toEqual(["Warning Conflict", "Warning Conflict"]);
});

it("an end that cannot be told when it is found is told at the next review", async () => {
  const { now, sent, touch, review } = world();
  await touch();
  now.record = record(live(), standing);
  now.outcome = holds;
  now.asked = () => (now.outcome = { state: "pending" });
  await touch();
  now.asked = () => {};
  now.outcome = holds;
  await review();
  await review();
  expect(sent).toEqual(["Warning Conflict", "Normal Routed"]);
});

it("an annotation that cannot be read is told once its object is held", async () => {
  const { now, sent, events, review } = world();
  now.uid = undefined;
  const told = [{ state: "Invalid" as const, reason: "it is not JSON" }];
  events.take({ id: "stray", identity: { ...identity, route: "" }, told, isNews: true });
  now.uid = "uid-1";
  await review();
  await review();
  expect(sent).toEqual(["Warning Invalid"]);
});

/** An annotation that could not be read, and is told, can be read again. */
function readAgain({ now, events }: World, becomes: () => void): (isBad?: boolean) => void {
  const stray = { id: "stray", identity: { ...identity, route: "" }, isNews: true };
  const told = [{ state: "Invalid" as const, reason: "it is not JSON" }];
  const takeStray = (isBad = true): void => events.take({ ...stray, told: isBad ? told : [] });
  takeStray();
  now.record = record(live(), standing);
  becomes();
  takeStray(false);
  return takeStray;
}

it("an annotation that can be read again is told as routed once all that it declares is", async () => {
  const all = world();
  const { now, sent, touch, review } = all;
  readAgain(all, () => (now.members = [{ ...member, state: "Invalid", reason: "port is 99999" }]));
  await review();
  await touch();
  expect(sent).toEqual(["Warning Invalid", "Warning Invalid"]);
  now.members = [member];
  now.outcome = { state: "pending" };
  await review();
  expect(sent).toHaveLength(2);
  now.outcome = holds;
  await review();
  await review();
  expect(sent.slice(2)).toEqual(["Normal Routed"]);
});

it("an annotation that can be read again and declares nothing is not told as routed", async () => {
  const all = world();
  const { now, sent, review } = all;
  readAgain(all, () => (now.members = []));
  await review();
  now.members = [member];
  await review();
  expect(sent).toEqual(["Warning Invalid"]);
});

it("an annotation that cannot be read once more, before it was routed, is told again", async () => {
  const all = world();
  const { now, sent, review } = all;
  const takeStray = readAgain(all, () => (now.outcome = { state: "pending" }));
  await review();
  takeStray();
  now.outcome = holds;
  await review();
  expect(sent).toEqual(["Warning Invalid", "Warning Invalid"]);
});

it("a rollout in which a Pod differs from one old Pod after the other tells each Pod once, and its end", async () => {
  const { now, sent, touch } = world();
  now.outcome = holds;
  const differs = async (from: string): Promise<void> => {
    const reason = `differs in uri from ${from}`;
    now.members = [
      { ...member, name: "old" },
      { ...member, state: "SpecMismatch", reason },
    ];
    const change = { id, identity, counts: { Valid: 1, SpecMismatch: 1 }, reason, stand: live() };
    now.record = record(undefined, { ...standing, change });
    await touch();
  };
  for (const old of ["old-0", "old-1", "old-2"]) await differs(old);
  expect(sent).toEqual(["Warning SpecMismatch"]);
  now.members = [member];
  now.record = record(live(), standing);
  await touch();
  expect(sent).toEqual(["Warning SpecMismatch", "Normal Routed"]);
});
