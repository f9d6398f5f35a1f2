import { beforeEach, describe, expect, it } from "vitest";
import type { Known } from "../../src/shard/protocol.ts";
import { deleted, identity } from "./objects.ts";
import { channelUnderTest, known, settle } from "./channel-under-test.ts";

let { clock, posted, channel, said } = channelUnderTest();
beforeEach(() => {
  ({ clock, posted, channel, said } = channelUnderTest());
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
