import { beforeEach, describe, expect, it } from "vitest";
import { Channel } from "../../src/shard/channel.ts";
import { inBytes } from "../../src/shard/kept-bytes.ts";
import { byteText } from "../../src/store/byte-text.ts";
import { applied, deleted } from "./objects.ts";
import { channelUnderTest, known, settle } from "./channel-under-test.ts";

let { clock, posted, channel, said } = channelUnderTest();
beforeEach(() => {
  ({ clock, posted, channel, said } = channelUnderTest());
});

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
