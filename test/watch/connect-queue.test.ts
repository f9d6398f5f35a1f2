import { expect, it } from "vitest";
import { ConnectQueue } from "../../src/watch/connect-queue.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

function queueOf(...names: readonly string[]) {
  const clock = new VirtualClock();
  const queue = new ConnectQueue(clock);
  const began: string[] = [];
  const connections = names.map((name) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const connected = queue.run(() => {
      began.push(name);
      return promise;
    });
    return { connected, resolve: () => resolve(name), reject: () => reject(new Error(name)) };
  });
  return { clock, began, connections };
}

it("begins a connection once the one before it stands, or could not be made", async () => {
  const { clock, began, connections } = queueOf("a", "b", "c");
  await clock.advance(0);
  expect(began).toEqual(["a"]);
  connections[0]?.resolve();
  await clock.advance(0);
  expect(began).toEqual(["a", "b"]);
  connections[1]?.reject();
  await expect(connections[1]?.connected).rejects.toThrow("b");
  await clock.advance(0);
  expect(began).toEqual(["a", "b", "c"]);
  expect(await connections[0]?.connected).toBe("a");
});

it("does not let the others wait long for one that hangs", async () => {
  const { clock, began, connections } = queueOf("hangs", "b", "c");
  await clock.advance(99);
  expect(began).toEqual(["hangs"]);
  await clock.advance(1);
  expect(began).toEqual(["hangs", "b"]);
  connections[1]?.resolve();
  await clock.advance(0);
  expect(began).toEqual(["hangs", "b", "c"]);
  connections[0]?.resolve();
  expect(await connections[0]?.connected).toBe("hangs");
});
