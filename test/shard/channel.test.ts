import { beforeEach, describe, expect, it } from "vitest";
import { Channel } from "../../src/shard/channel.ts";
import { inBytes } from "../../src/shard/kept-bytes.ts";
import { byteText } from "../../src/store/byte-text.ts";
import type { Known, ToShard } from "../../src/shard/protocol.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { applied, deleted, identity } from "./objects.ts";

let clock: VirtualClock;
let posted: ToShard[];
let channel: Channel;

beforeEach(() => {
  clock = new VirtualClock();
  posted = [];
  channel = new Channel(clock, (message) => posted.push(structuredClone(message)));
});

/** What was posted since the last call: batches by names of their objects, the rest by type. */
function said(): (string | string[])[] {
  return posted
    .splice(0)
    .map((message) =>
      message.type === "batch" ? message.entries.map((entry) => `${entry.type} ${entry.name}`) : message.type,
    );
}

function known(id: string): Known {
  return { id, identity: identity("a"), upstream: { digest: "d" } };
}

const settle = { type: "settle", cluster: "east", kind: "pods", token: 1 } as const;

describe("changes of objects", () => {
  it("of one turn go together, once the turn is over", async () => {
    channel.offer(applied("a"));
    channel.offer(deleted("b"));
    expect(said()).toEqual([]);
    expect(channel.waiting).toBe(2);
    await clock.advance(0);
    expect(said()).toEqual([["apply a", "delete b"]]);
    expect(channel.waiting).toBe(0);
  });

  it("coalesce by key: the newest goes, with the time of the oldest", async () => {
    channel.offer(deleted("a", 10));
    channel.offer(applied("a", 20, { ready: false }));
    const newest = applied("a", 30);
    channel.offer(newest);
    expect(channel.waiting).toBe(1);
    await clock.advance(0);
    expect(posted).toEqual([{ type: "batch", seq: 1, entries: inBytes([{ ...newest, at: 10 }]) }]);
  });

  it("of other clusters, namespaces and names do not coalesce, whatever their names hold", async () => {
    channel.offer({ ...deleted("c"), namespace: "a/b" });
    channel.offer({ ...deleted("b/c"), namespace: "a" });
    channel.offer({ ...deleted("c"), namespace: "a/b", cluster: "west" });
    await clock.advance(0);
    expect(said()).toEqual([["delete c", "delete b/c", "delete c"]]);
  });

  it("wait while 4 batches are unanswered, and go on with the answer, without another turn", async () => {
    for (let turn = 0; turn < 6; turn++) {
      channel.offer(deleted(`a${turn}`));
      await clock.advance(0);
    }
    expect(said()).toEqual([["delete a0"], ["delete a1"], ["delete a2"], ["delete a3"]]);
    expect(channel.unacked).toBe(4);
    channel.done(2);
    expect(said()).toEqual([["delete a4", "delete a5"]]);
    expect(channel.unanswered().map(({ name }) => name)).toEqual(["a0", "a2", "a3", "a4", "a5"]);
  });

  it("are at most 256 a batch", async () => {
    for (let index = 0; index < 300; index++) channel.offer(deleted(`a${index}`));
    await clock.advance(0);
    expect(said().map((batch) => batch.length)).toEqual([256, 44]);
  });

  it("are at most 256 KB a batch, and at least one object", async () => {
    const big = { routes: "x".repeat(200 * 1024) };
    const huge = { routes: "x".repeat(300 * 1024) };
    channel.offer(applied("a", 0, huge));
    channel.offer(applied("b", 0, big));
    channel.offer(applied("c", 0, big));
    channel.offer(applied("d"));
    await clock.advance(0);
    expect(said()).toEqual([["apply a"], ["apply b"], ["apply c", "apply d"]]);
  });

  it("are not sent once the channel is closed", async () => {
    channel.offer(deleted("a"));
    channel.close();
    await clock.advance(0);
    expect(said()).toEqual([]);
  });

  it("are awaited by number until they are answered", async () => {
    channel.offer(deleted("a"));
    await clock.advance(0);
    expect([channel.awaits(1), channel.awaits(2)]).toEqual([true, false]);
    channel.done(1);
    expect(channel.awaits(1)).toBe(false);
  });
});

describe("messages in order", () => {
  it("follow what was offered before them and precede what was offered after, even on the same key", async () => {
    channel.offer(applied("a"));
    channel.inOrder(settle);
    channel.offer(deleted("a"));
    channel.inOrder({ type: "unsettle", cluster: "east", kind: "pods" });
    await clock.advance(0);
    expect(said()).toEqual([["apply a"], "settle", ["delete a"], "unsettle"]);
  });

  it("wait with the changes before them for credit", async () => {
    for (let index = 0; index < 5 * 256; index++) channel.offer(deleted(`a${index}`));
    channel.inOrder(settle);
    await clock.advance(0);
    expect(said()).toHaveLength(4);
    channel.done(1);
    expect(said().map((message) => (typeof message === "string" ? message : message.length))).toEqual([
      256,
      "settle",
    ]);
  });

  it("a mark is reached when the shard has answered for all before it", async () => {
    let reached = false;
    channel.offer(deleted("a"));
    channel.mark({ message: { type: "known", entries: [known("t-1")] }, reached: () => (reached = true) });
    await clock.advance(0);
    expect(said()).toEqual([["delete a"], "known", []]);
    channel.done(1);
    expect(reached).toBe(false);
    channel.done(2);
    expect(reached).toBe(true);
  });

  it("an object alone has no company among the unanswered", async () => {
    channel.offer(deleted("a"));
    channel.offerAlone(applied("b"));
    channel.offerAlone(applied("c"));
    channel.offer(deleted("d"));
    await clock.advance(0);
    expect(said()).toEqual([["delete a"]]);
    channel.done(1);
    expect(said()).toEqual([["apply b"]]);
    channel.done(2);
    expect(said()).toEqual([["apply c"], ["delete d"]]);
  });
});

describe("messages at once", () => {
  it("overtake changes that wait for credit", async () => {
    for (let index = 0; index < 5 * 256; index++) channel.offer(deleted(`a${index}`));
    await clock.advance(0);
    said();
    channel.atOnce({ type: "want", id: "t-1", resource: "route" });
    expect(said()).toEqual(["want"]);
  });

  it("known and forget are gathered for a moment, in their order: nobody waits for them", async () => {
    channel.known(known("t-1"));
    channel.known(known("t-2"));
    channel.forget("t-1");
    channel.known(known("t-1"));
    expect(posted).toEqual([]);
    await clock.advance(25);
    expect(posted).toEqual([
      { type: "known", entries: [known("t-1"), known("t-2")] },
      { type: "forget", ids: ["t-1"] },
      { type: "known", entries: [known("t-1")] },
    ]);
  });

  it("what more is known of an id replaces what was to be told of it", async () => {
    channel.known(known("t-1"));
    channel.known(known("t-2"));
    const newest = { ...known("t-1"), route: { digest: "e" } };
    channel.known(newest);
    await clock.advance(25);
    expect(posted).toEqual([{ type: "known", entries: [newest, known("t-2")] }]);
  });

  it("A7 what was written and is not there any more is told as it was, and then as it is", async () => {
    const route = { digest: "r" };
    const steps: Known[] = [
      known("t-1"),
      { ...known("t-1"), upstream: { digest: "e" } },
      { ...known("t-1"), upstream: { digest: "e" }, route },
      { id: "t-1", identity: identity("a"), route },
    ];
    for (const step of steps) channel.known(step);
    await clock.advance(100);
    expect(posted).toEqual([
      { type: "known", entries: [steps[0]] },
      { type: "known", entries: [steps[2]] },
      { type: "known", entries: [steps[3]] },
    ]);
  });

  it("a want, a kept or an explain does not overtake what is known", () => {
    channel.known(known("t-1"));
    channel.atOnce({ type: "want", id: "t-1", resource: "route" });
    channel.forget("t-1");
    channel.atOnce({ type: "kept", id: "t-1", upstream: null, route: null });
    expect(said()).toEqual(["known", "want", "forget", "kept"]);
  });

  it("a message in order that an answer lets go does not overtake what is known", async () => {
    for (let turn = 0; turn < 5; turn++) {
      channel.offer(deleted(`a${turn}`));
      await clock.advance(0);
    }
    channel.inOrder(settle);
    await clock.advance(0);
    said();
    channel.known(known("t-1"));
    channel.done(1);
    expect(said()).toEqual(["known", ["delete a4"], "settle"]);
  });

  it("a full message is followed by an empty batch, so that the shard has something to answer", async () => {
    for (let index = 0; index < 300; index++) channel.known(known(`t-${index}`));
    await clock.advance(25);
    expect(said()).toEqual(["known", [], "known"]);
  });
});

describe("bodies that may come unasked", () => {
  it("are as many as requests are free, and as objects that could cause them; those on their way count", async () => {
    let free = 3;
    channel = new Channel(clock, (message) => posted.push(structuredClone(message)), {
      freeRequests: () => free,
    });
    const allowed = async (...names: string[]): Promise<unknown> => {
      for (const name of names) channel.offer(deleted(name));
      await clock.advance(0);
      return posted.splice(0).map((message) => message.type === "batch" && message.bodies);
    };
    expect(await allowed("a", "b")).toEqual([2]);
    expect(await allowed("c", "d")).toEqual([1]);
    expect(await allowed("e")).toEqual([undefined]);
    channel.done(1);
    free = 1;
    expect(await allowed("f")).toEqual([undefined]);
    channel.done(2);
    expect(await allowed("g")).toEqual([1]);
  });
});

describe("a seed that waits for its turn", () => {
  it("tells nothing of an id of which something newer has been told meanwhile", async () => {
    const entry = (id: string, digest: string): Known => ({ ...known(id), upstream: { digest } });
    for (const ids of [["1"], ["2"], ["3"], ["4"], ["a", "b", "c"]])
      channel.mark({ message: { type: "known", entries: ids.map((id) => entry(id, "old")) } });
    await clock.advance(0);
    channel.known(entry("a", "new"));
    channel.forget("b");
    await clock.advance(25);
    for (let seq = 1; seq <= 5; seq++) channel.done(seq);
    const told = new Map<string, string>();
    for (const message of posted) {
      if (message.type === "known")
        for (const { id, upstream } of message.entries) told.set(id, upstream?.digest ?? "");
      if (message.type === "forget") for (const id of message.ids) told.delete(id);
    }
    expect(Object.fromEntries(told)).toEqual({
      ...{ 1: "old", 2: "old", 3: "old", 4: "old", a: "new", c: "old" },
    });
    channel.mark({ message: { type: "known", entries: [entry("a", "newest")] } });
    await clock.advance(0);
    expect(posted.findLast(({ type }) => type === "known")).toEqual({
      ...{ type: "known", entries: [entry("a", "newest")] },
    });
  });
});

it("each batch carries the bytes of its own objects", async () => {
  for (const name of ["a", "b"]) {
    channel.offer(applied(name));
    await clock.advance(0);
  }
  const packed = posted.flatMap((message) =>
    message.type === "batch"
      ? message.entries.map((entry) => (entry.type === "apply" ? byteText(entry.packed) : ""))
      : [],
  );
  expect(packed).toEqual([applied("a").packed, applied("b").packed]);
});

it("a batch of one object that is larger than others goes whole", async () => {
  const large = { ...applied("a"), packed: "\xff".repeat(300_000) };
  channel.offer(large);
  await clock.advance(0);
  const [message] = posted;
  const entry = message?.type === "batch" ? message.entries[0] : undefined;
  expect(entry?.type === "apply" && byteText(entry.packed) === large.packed).toBe(true);
});
