import { decode, encode, epochOf } from "../src/shard/codec.ts";
import type { FromShard, ToShard } from "../src/shard/protocol.ts";
import type { ShardTask } from "../src/shard/thread-links.ts";
import { createShardHandler } from "./shard-handler.ts";

/**
 * The task of one shard in a worker thread: answers messages until its port is closed. What the handler throws ends the
 * thread, on purpose: its state cannot be trusted any more.
 */
export function runShard({ port, epoch, options }: ShardTask): Promise<void> {
  const handle = createShardHandler(options);
  const say = (message: FromShard): void => {
    const bytes = encode(epoch, message);
    port.postMessage(bytes, [bytes.buffer]);
  };
  return new Promise((resolve) => {
    port.on("close", resolve);
    port.on("message", (bytes: Uint8Array) => {
      if (epochOf(bytes) !== epoch) return;
      for (const answer of handle(decode(bytes) as ToShard)) say(answer);
    });
    say({ type: "ready" });
  });
}
