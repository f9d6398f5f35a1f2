import type { ShardTask } from "../src/shard/thread-links.ts";
import { serveShard } from "./serve-shard.ts";
import { createShardHandler } from "./shard-handler.ts";

/**
 * The task of one shard in a worker thread: answers messages until its port is closed. What the handler throws ends the
 * thread, on purpose: its state cannot be trusted any more.
 */
export function runShard(task: ShardTask): Promise<void> {
  return serveShard(task, createShardHandler);
}
