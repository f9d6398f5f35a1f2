import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Kept } from "../../src/filter/kept.ts";
import { Channel } from "../../src/shard/channel.ts";
import type { ToShard } from "../../src/shard/protocol.ts";
import { applied, deleted } from "./objects.ts";

type Step = { readonly do: "offer"; readonly kept: Kept } | { readonly do: "order" | "turn" | "answer" };

const names = fc.constantFrom("a", "b", "c", "d", "e", "f");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("offer" as const),
      kept: fc.oneof(
        names.map((name) => applied(name)),
        names.map((name) => deleted(name)),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("order" as const, "answer" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("turn" as const) }) },
);

describe("a channel", () => {
  it("leaves the shard with the newest of everything, sees it whole at every message in order, and keeps to 4 batches", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const turns: (() => void)[] = [];
        const clock = {
          now: () => 0,
          wall: () => 0,
          after: () => () => {},
          soon: (run: () => void) => (turns.push(run), () => {}),
        };
        const offered = new Map<string, Kept>();
        const expected: Map<string, Kept>[] = [];
        const held = new Map<string, Kept<Uint8Array>>();
        const unanswered: number[] = [];
        const content = (map: Map<string, Pick<Kept, "type">>) =>
          [...map].map(([name, kept]) => [name, kept.type]).toSorted();
        const receive = (message: ToShard) => {
          if (message.type === "batch") {
            unanswered.push(message.seq);
            expect(unanswered.length).toBeLessThanOrEqual(4);
            for (const entry of message.entries) held.set(entry.name, entry);
          } else expect(content(held)).toEqual(content(expected.shift() ?? new Map()));
        };
        const channel = new Channel(clock, receive);
        const answer = () => {
          const seq = unanswered.shift();
          if (seq !== undefined) channel.done(seq);
          return seq !== undefined;
        };
        for (const each of steps) {
          if (each.do === "offer") {
            offered.set(each.kept.name, each.kept);
            channel.offer(each.kept);
          } else if (each.do === "order") {
            expected.push(new Map(offered));
            channel.inOrder({ type: "unsettle", cluster: "east", kind: "pods" });
          } else if (each.do === "turn") turns.splice(0).forEach((run) => run());
          else answer();
        }
        turns.splice(0).forEach((run) => run());
        while (answer());
        expect(content(held)).toEqual(content(offered));
        expect(expected).toEqual([]);
        expect([channel.waiting, channel.unacked]).toEqual([0, 0]);
      }),
    );
  });
});
