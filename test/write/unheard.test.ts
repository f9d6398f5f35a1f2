import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

/** Invariant 2 of groups whose shard is lost and is back, and has not spoken of them yet: it waits for what stands, say. */

function loseShard({ writer }: WriterUnderTest): void {
  writer.words.unhear(() => true);
  writer.words.rehear(() => true);
}

/** Stands, is to go, and that was let go and not sent. */
async function going(grace: boolean): Promise<WriterUnderTest> {
  const gateway = new WriterUnderTest({ deleteGrace: 10_000 });
  gateway.live("a", ["a.example.com"]);
  await gateway.pass();
  gateway.hidden.add("a");
  gateway.gone("a", grace);
  await gateway.pass();
  return gateway;
}

it.each([
  { grace: true, sent: ["PUT upstreams/a: 200"] },
  { grace: false, sent: ["DELETE routes/a: 200", "DELETE upstreams/a: 200"] },
])(
  "a removal (grace: $grace) that was let go and not sent waits until the shard that took over has spoken",
  async ({ grace, sent }) => {
    const gateway = await going(grace);
    loseShard(gateway);
    gateway.hidden.delete("a");
    gateway.writer.regate(gateway.writer.records.all());
    expect(await gateway.pass(5000)).toEqual([]);
    gateway.gone("a", grace);
    expect(await gateway.pass()).toEqual(sent);
    await gateway.pass(10_000);
    expect(gateway.writer.records.get(gateway.id("a"))).toBeUndefined();
  },
);

it("it does not go when the shard that took over finds it declared", async () => {
  const gateway = await going(false);
  loseShard(gateway);
  gateway.hidden.delete("a");
  gateway.writer.regate(gateway.writer.records.all());
  expect(await gateway.pass(5000)).toEqual([]);
  gateway.live("a", ["a.example.com"], { upstream: false, route: false });
  expect(await gateway.pass(60_000)).toEqual([]);
});

it("a route is not taken off what it gave up by a word of the shard that was lost", async () => {
  const gateway = new WriterUnderTest();
  gateway.live("a", ["a.example.com"]);
  gateway.live("b", ["b.example.com"]);
  await gateway.pass();
  // It waits for what b has, and would give up what it has.
  gateway.live("a", ["b.example.com"]);
  await gateway.pass();
  loseShard(gateway);
  gateway.live("c", ["a.example.com"]);
  expect(await gateway.pass(5000)).toEqual([]);
  expect(gateway.hosts("a")).toEqual(["a.example.com"]);
});
