import { expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { Configured } from "../../src/shard/protocol.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

/** A paused member of a group under a policy that changes: the same while it runs and after a restart. */

const base: Configured = {
  instance: "default",
  clusters: [{ name: "east", addressFamily: "IPv4", weight: 100 }],
  defaultUri: "/*",
  plugins: ["cors"],
  nodePort: { maxNodes: 64, address: "InternalIP" },
  by: "service",
};

/** Of two members, what the older asks for besides, and a policy that forbids it. */
const forbidden: readonly (readonly [string, object, Partial<Configured>])[] = [
  ["host", { hosts: ["a.example.com"] }, { hosts: [{ hosts: ["b.example.com"] }] }],
  ["plugin", { plugins: { cors: {} } }, { plugins: [] }],
];

function member(number: number, fields: object, paused = false): PodProjection {
  const declares = [{ name: "web", port: 8080, hosts: ["b.example.com"], share: "cluster", ...fields }];
  const about = { name: `p-${number}`, uid: `u-${number}`, created: number, ips: [`10.0.0.${number}`] };
  return pod({ ...about, declares, paused });
}

/** Writes until nothing more is announced; what was written. */
function drain(shard: ShardUnderTest, announced: readonly Change[]): string[] {
  const written: string[] = [];
  for (let changes = [...announced, ...shard.answerNeeds()]; changes.length > 0;) {
    const next: Change[] = [];
    for (const change of changes) {
      expect(change.stand.type).not.toBe("absent");
      const { upstream, route, changes: more } = shard.write(change);
      if (upstream !== undefined) written.push("upstream");
      if (route !== undefined) written.push("route");
      next.push(...more);
    }
    changes = [...next, ...shard.answerNeeds()];
  }
  return written;
}

function configure(shard: ShardUnderTest, options: Configured): string[] {
  const said = shard.send({ type: "configure", options });
  return drain(
    shard,
    said.flatMap((message) => ("changes" in message ? message.changes : [])),
  );
}

function restart(shard: ShardUnderTest, options: Configured, pods: readonly PodProjection[]) {
  const next = shard.successor(options);
  return { next, written: drain(next, [...next.pods(...pods), ...next.settle()]) };
}

function standing(shard: ShardUnderTest): object {
  const [{ upstream = {}, route = {} } = {}] = shard.gateway.values();
  const nodes = upstream["nodes"] as readonly { readonly host: string }[];
  return { hosts: route["hosts"], plugins: route["plugins"], nodes: nodes.map(({ host }) => host) };
}

it.each(forbidden)(
  "a paused member whose %s is forbidden by a new policy sets the spec no more, and what it gave stays",
  (_, fields, policy) => {
    const shard = new ShardUnderTest(base);
    drain(shard, [...shard.pods(member(1, fields), member(2, {})), ...shard.settle()]);
    expect(standing(shard)).toMatchObject(fields);
    drain(shard, shard.pods(member(1, fields, true)));
    const stricter = { ...base, ...policy };
    expect(configure(shard, stricter)).toContain("route");
    const after = { hosts: ["b.example.com"], plugins: undefined, nodes: ["10.0.0.1", "10.0.0.2"] };
    expect(standing(shard)).toEqual(after);
    const { written } = restart(shard, stricter, [member(1, fields, true), member(2, {})]);
    expect(written).toEqual([]);
  },
);

it.each(forbidden)(
  "a paused member whose %s is allowed again keeps the settings as they stand",
  (_, fields, policy) => {
    const stricter = { ...base, ...policy };
    const shard = new ShardUnderTest(stricter);
    drain(shard, [...shard.pods(member(1, fields), member(2, {})), ...shard.settle()]);
    drain(shard, shard.pods(member(1, fields, true)));
    expect(configure(shard, base)).toEqual([]);
    const stands = { hosts: ["b.example.com"], plugins: undefined, nodes: ["10.0.0.2"] };
    const edited = [member(1, fields, true), member(2, { priority: 7 })];
    expect(drain(shard, shard.pods(edited[1]!))).toEqual([]);
    expect(standing(shard)).toEqual(stands);
    const { next, written } = restart(shard, base, edited);
    expect(written).toEqual([]);
    // Its pause ends: it is the oldest.
    drain(next, next.pods(member(1, fields)));
    expect(standing(next)).toMatchObject({ nodes: ["10.0.0.1", "10.0.0.2"], ...fields });
  },
);
