import { expect, it } from "vitest";
import { WriterUnderTest } from "./writer-under-test.ts";

it.each([false, true])(
  "invariant 2: a removal (grace: %s) that was let go and not sent is over when its cluster leaves the configuration",
  async (grace) => {
    const gateway = new WriterUnderTest({ deleteGrace: 1000 });
    gateway.live("a", ["a.example.com"]);
    await gateway.pass();
    gateway.hidden.add("a");
    gateway.gone("a", grace);
    await gateway.pass();
    gateway.writer.words.leave("east");
    // It is back, and its shard has not spoken of the group yet.
    gateway.hidden.delete("a");
    gateway.writer.regate(gateway.writer.records.all());
    expect(await gateway.pass(5000)).toEqual([]);
    gateway.gone("a", grace);
    await gateway.pass(5000);
    expect(gateway.writes.slice(-2)).toEqual(["DELETE routes/a: 200", "DELETE upstreams/a: 200"]);
  },
);
