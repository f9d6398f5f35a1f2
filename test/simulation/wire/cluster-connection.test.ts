import { expect, it } from "vitest";
import { SeededRandom } from "../seeded-random.ts";
import { drawSetup } from "../setup.ts";
import { SimCluster } from "../sim-cluster.ts";
import { VirtualTime } from "../virtual-time.ts";
import { connectCluster } from "./cluster-connection.ts";
import { Gate } from "./gate.ts";
import { HeardLists } from "./heard-lists.ts";

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const piece of body) bytes += piece.length;
  return bytes;
}

it.each([
  ["one that had not judged it yet", { isRefused: false, isDead: false }, true],
  ["one that refused it", { isRefused: true, isDead: false }, false],
  ["one that is dead", { isRefused: false, isDead: true }, false],
])(
  "what a process has listed of a cluster that was built anew counts from when it is accepted on: %s",
  async (_, { isRefused, isDead }, isCounted) => {
    const random = new SeededRandom(1);
    const time = new VirtualTime(random, false);
    const setup = { ...drawSetup(random), clusters: ["east"], kubeLatency: 0, chopped: false };
    const cluster = new SimCluster("east", setup, time, random);
    const pass = (): Promise<void> => time.pass(1000, () => false);
    cluster.rebuild(new Map());

    const gate = new Gate({ time, origin: 0 });
    const lists = new HeardLists();
    const ears = lists.ears("east", time, () => {});
    const options = { gate, cluster, pageSize: 500, isRefused: () => isRefused, ...ears };
    const connection = await connectCluster(options);
    const path = "/api/v1/pods?labelSelector=a&limit=500";
    const answer = connection({ path, accept: "application/json", signal: new AbortController().signal });
    await pass();
    const listed = time.now();
    const { status, body } = await answer;
    expect(status).toBe(200);
    const read = bytesOf(body);
    await pass();
    expect(await read).toBeGreaterThan(0);
    expect(lists.since("east", "pod", time.now())).toBeUndefined();

    const heard = time.now();
    await pass();
    if (isDead) gate.shut();
    cluster.believe();
    expect(lists.since("east", "pod", heard)).toBeUndefined();
    const since = lists.since("east", "pod", time.now());
    expect(since !== undefined && since <= listed).toBe(isCounted);
  },
);
