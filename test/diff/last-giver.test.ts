import { expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { Configured } from "../../src/shard/protocol.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const declares = [{ name: "web", port: 8080, host: "shop.example.com", share: "fleet" }];
const cluster = (name: string, weight: number) => ({ name, addressFamily: "IPv4", weight }) as const;
const pods = { east: pod({ declares }), west: pod({ name: "web-1", uid: "2", ips: ["10.0.0.2"], declares }) };

/** A fleet group of two clusters, written; East's Pod as given. */
function start(east: Partial<typeof pods.east>, weight = 100): ShardUnderTest {
  const shard = new ShardUnderTest({ clusters: [cluster("east", weight), cluster("west", 100)] });
  shard.podsOf("east", { ...pods.east, ...east });
  shard.podsOf("west", pods.west);
  shard.settle("east");
  writeAll(shard, shard.settle("west"));
  return shard;
}

function writeAll(shard: ShardUnderTest, changes: readonly Change[]): void {
  for (const change of changes) writeAll(shard, shard.write(change).changes);
}

function configure(shard: ShardUnderTest, weight: number): readonly Change[] {
  const options: Configured = {
    ...{ instance: "default", defaultUri: "/*", plugins: [], by: "service" },
    clusters: [cluster("east", weight), cluster("west", 100)],
    nodePort: { maxNodes: 64, address: "InternalIP" },
  };
  const said = shard.send({ type: "configure", options });
  return said.flatMap((message) => ("changes" in message ? message.changes : []));
}

const lastStand = (changes: readonly Change[]): unknown => changes.at(-1)?.stand;

it.each([
  ["is drained", {}, 0],
  ["has no ready Pod", { ready: false }, 100],
])(
  "the last nodes of a fleet group go with the only part that is seen: they are taken away, where the lost cluster %s",
  (_, east, weight) => {
    const shard = start(east, weight);
    writeAll(shard, [...shard.unsettle("east"), ...shard.answerNeeds()]);
    const changes = [...shard.gone(pods.west, "west"), ...shard.answerNeeds()];
    const gone = { type: "frozen", nodes: 0, bare: true, upstream: true };
    expect(lastStand(changes)).toMatchObject(gone);
    writeAll(shard, changes.slice(-1));
    expect(lastStand([...shard.settle("east"), ...shard.gone(pods.east)])).toMatchObject({ type: "absent" });
  },
);

it("nor does a drained cluster that is seen keep a fleet group from losing its last nodes", () => {
  const shard = start({}, 0);
  const stand = { type: "live", nodes: 0, bare: true, upstream: true };
  expect(lastStand(shard.gone(pods.west, "west"))).toMatchObject(stand);
});

it("a part that goes beside Pods that are not ready leaves it to their readiness", () => {
  const shard = start({ ready: false });
  const stand = { type: "live", nodes: 0, bare: false, upstream: true };
  expect(lastStand(shard.gone(pods.west, "west"))).toMatchObject(stand);
});

it("a cluster that is drained takes its nodes out of what is its alone, and nothing is taken away", () => {
  const shard = start({});
  writeAll(shard, shard.gone(pods.west, "west"));
  const stand = { type: "live", nodes: 0, bare: false, upstream: true };
  expect(lastStand(configure(shard, 0))).toMatchObject(stand);
});
