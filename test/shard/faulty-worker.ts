import { decode, encode, epochOf } from "../../src/shard/codec.ts";
import { messagesOf, postParcel } from "../../src/shard/parcel.ts";
import type { Parcel } from "../../src/shard/parcel.ts";
import type { FromShard, ToShard } from "../../src/shard/protocol.ts";
import type { ShardTask } from "../../src/shard/thread-links.ts";
import { StubShard } from "./stub-shard.ts";

/** A worker thread around a stub shard; the id of a `want` says what goes wrong. */
export function runShard({ port, epoch, options }: ShardTask): Promise<void> {
  const stub = new StubShard(options);
  const say = (message: FromShard, of = epoch): void => {
    postParcel(port, [encode(of, message)]);
  };
  return new Promise((resolve) => {
    port.on("close", resolve);
    const take = (bytes: Uint8Array): void => {
      if (epochOf(bytes) !== epoch) return;
      const message = decode(bytes) as ToShard;
      if (message.type === "want") {
        if (message.id === "end") return resolve();
        if (message.id === "epoch")
          say({ type: "body", id: "", resource: "route", body: "old", digest: "" }, epoch - 1);
        fail(message.id);
      }
      for (const answer of stub.handle(message)) say(answer);
    };
    port.on("message", (parcel: Parcel) => [...messagesOf(parcel)].forEach(take));
    say({ type: "ready" });
  });
}

function fail(how: string): void {
  const held: object[][] = [];
  if (how === "exit") process.exit(3);
  if (how === "throw") throw new Error("thrown on purpose");
  while (how === "loop");
  while (how === "memory") held.push(Array.from({ length: 1000 }, () => ({})));
}
