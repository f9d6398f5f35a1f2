import { decode, encode, epochOf } from "../src/shard/codec.ts";
import { messagesOf, postParcel } from "../src/shard/parcel.ts";
import type { Parcel } from "../src/shard/parcel.ts";
import type { ToShard } from "../src/shard/protocol.ts";
import type { ShardTask } from "../src/shard/thread-links.ts";
import type { Packed } from "../src/store/projection.ts";
import { createShardHandler } from "./shard-handler.ts";

/**
 * The task of one shard in a worker thread: answers messages until its port is closed. What the handler throws ends the
 * thread, on purpose: its state cannot be trusted any more.
 */
export function runShard({ port, epoch, options }: ShardTask): Promise<void> {
  const handle = createShardHandler(options);
  let answers: Packed[] = [];
  const send = (): void => {
    if (answers.length > 0) postParcel(port, answers);
    answers = [];
  };
  const take = (bytes: Uint8Array): void => {
    if (epochOf(bytes) !== epoch) return;
    const message = decode(bytes) as ToShard;
    for (const answer of handle(message)) answers.push(encode(epoch, answer));
    // Objects take long: their answer is a sign of life, and says which of them did not end the thread.
    if (message.type === "batch") send();
  };
  return new Promise((resolve) => {
    port.on("close", resolve);
    port.on("message", (parcel: Parcel) => {
      for (const bytes of messagesOf(parcel)) take(bytes);
      send();
    });
    postParcel(port, [encode(epoch, { type: "ready" })]);
  });
}
