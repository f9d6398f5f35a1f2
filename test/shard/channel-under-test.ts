import { Channel } from "../../src/shard/channel.ts";
import type { Known, ToShard } from "../../src/shard/protocol.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { identity } from "./objects.ts";

/** A channel on a virtual clock, and what it posts. */
export function channelUnderTest() {
  const clock = new VirtualClock();
  const posted: ToShard[] = [];
  const channel = new Channel(clock, (message) => posted.push(structuredClone(message)));
  /** What was posted since the last call: batches by names of their objects, the rest by type. */
  const said = (): (string | string[])[] =>
    posted
      .splice(0)
      .map((message) =>
        message.type === "batch"
          ? message.entries.map((entry) => `${entry.type} ${entry.name}`)
          : message.type,
      );
  return { clock, posted, channel, said };
}

export function known(id: string): Known {
  return { id, identity: identity("a"), upstream: { digest: "d" } };
}

export const settle = { type: "settle", cluster: "east", kind: "pods", token: 1 } as const;
