import { MessageChannel } from "node:worker_threads";
import { expect, it } from "vitest";
import { messagesOf, postParcel } from "../../src/shard/parcel.ts";
import type { Parcel } from "../../src/shard/parcel.ts";

it("a parcel holds its messages in their order, whatever their length", async () => {
  const { port1, port2 } = new MessageChannel();
  const heard = new Promise<Parcel>((resolve) => port2.once("message", resolve));
  const messages = [0, 1, 300, 70_000].map((length) => new Uint8Array(length).fill(length % 251));
  const pooled = Buffer.from("a view of a larger buffer").subarray(2, 6);
  postParcel(port1, [...messages, pooled]);
  expect([...messagesOf(await heard)].map((bytes) => [...bytes])).toEqual(
    [...messages, pooled].map((bytes) => [...bytes]),
  );
  expect(pooled.toString()).toBe("view");
  port1.close();
});
