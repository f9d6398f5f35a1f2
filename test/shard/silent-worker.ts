import type { ShardTask } from "../../src/shard/thread-links.ts";

/** Never says that it is ready. */
export function runShard({ port }: ShardTask): Promise<void> {
  return new Promise((resolve) => port.on("close", resolve));
}
