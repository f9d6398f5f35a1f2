import { threadId } from "node:worker_threads";
import type { Member } from "../src/desired/member.ts";
import type { Working } from "../src/diff/judge.ts";
import type { KeptKey } from "../src/filter/kept.ts";
import { decode, encode, epochOf } from "../src/shard/codec.ts";
import { messagesOf, postParcel } from "../src/shard/parcel.ts";
import type { Parcel } from "../src/shard/parcel.ts";
import { DoingWriter } from "../src/shard/doing.ts";
import type { ShardOptions, ToShard } from "../src/shard/protocol.ts";
import type { ShardTask } from "../src/shard/thread-links.ts";
import { sourceKinds } from "../src/store/source-kinds.ts";
import type { ShardHandler } from "./shard-handler.ts";

/** Answers messages with a handler until the port is closed; what the handler throws ends the thread. */
export function serveShard(
  { port, epoch, options, doing, cpu }: ShardTask,
  create: (options: ShardOptions, working: Working) => ShardHandler,
): Promise<void> {
  const writer = new DoingWriter(doing);
  const handle = create(options, ({ members }) => writer.begin(objectsOf(members.values())));
  const used = cpuCounter(cpu);
  let answers: Uint8Array[] = [];
  const send = (): void => {
    if (answers.length > 0) postParcel(port, answers);
    answers = [];
  };
  const take = (bytes: Uint8Array): void => {
    if (epochOf(bytes) !== epoch) return;
    const message = decode(bytes) as ToShard;
    for (const answer of handle(message)) answers.push(encode(epoch, answer));
    writer.end();
    // Objects take long: their answer is a sign of life, and says which of them did not end the thread.
    if (message.type === "batch") send();
  };
  return new Promise((resolve) => {
    port.on("close", resolve);
    port.on("message", (parcel: Parcel) => {
      for (const bytes of messagesOf(parcel)) take(bytes);
      send();
      used();
    });
    postParcel(port, [encode(epoch, { type: "ready" })]);
  });
}

/** Writes down which thread this is, and what it has used since now; once for all messages of a turn, for it asks the system. */
function cpuCounter(shared: SharedArrayBuffer): () => void {
  const seconds = new Float64Array(shared);
  seconds[1] = threadId;
  const from = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(from);
    seconds[0] = (user + system) / 1e6;
  };
}

function* objectsOf(members: Iterable<Member>): Generator<KeptKey, void, void> {
  for (const { cluster, object } of members) {
    const { kind, namespace, name } = object;
    yield { cluster, kind: sourceKinds[kind].objects, namespace, name };
  }
}
