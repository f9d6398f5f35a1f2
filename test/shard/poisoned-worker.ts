import type { ShardTask } from "../../src/shard/thread-links.ts";
import { createShardHandler } from "../../workers/shard-handler.ts";
import { serveShard } from "../../workers/serve-shard.ts";

/** The shard worker with one flaw: a Pod named `poison-WHEN-HOW` is its end, at the judging or at the building of its body. */
export function runShard(task: ShardTask): Promise<void> {
  return serveShard(task, (options, working) =>
    createShardHandler(options, (group, why) => {
      working(group, why);
      for (const { object } of group.members.values()) {
        const [poison, when, how] = object.name.split("-");
        if (poison === "poison" && when === why) end(how);
      }
    }),
  );
}

function end(how: string | undefined): void {
  const held: object[][] = [];
  if (how === "throw") throw new Error("thrown on purpose");
  while (how === "loop");
  while (how === "memory") held.push(Array.from({ length: 1000 }, () => ({})));
}
