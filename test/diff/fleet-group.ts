import { expect } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { ShardOptions } from "../../src/shard/protocol.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

export const cluster = (name: string, weight = 100): ShardOptions["clusters"][number] => ({
  ...{ name, addressFamily: "IPv4", weight },
});
export const clusters = [cluster("east"), cluster("west")];
export const web = { name: "web", port: 8080, host: "shop.example.com", share: "fleet" };

/** `number` tells its address, age and name from others'. */
export function member(
  number: number,
  fields: object = {},
  changed: Partial<PodProjection> = {},
): PodProjection {
  const about = { name: `p-${number}`, uid: `u-${number}`, created: number, ips: [`10.0.0.${number}`] };
  return pod({ ...about, declares: [{ ...web, ...fields }], ...changed });
}

/** Writes until nothing more is announced. */
export function drain(shard: ShardUnderTest, announced: readonly Change[]): void {
  for (let changes = [...announced, ...shard.answerNeeds()]; changes.length > 0;)
    changes = [...changes.flatMap((change) => writeOne(shard, change)), ...shard.answerNeeds()];
}

function writeOne(shard: ShardUnderTest, change: Change): Change[] {
  if (change.stand.type !== "absent") return shard.write(change).changes;
  shard.gateway.delete(change.id);
  shard.send({ type: "forget", ids: [change.id] });
  return [];
}

/** East has member 1, the oldest; West has members 2 and 3. All written. */
export function established(east: readonly PodProjection[] = [member(1)]): ShardUnderTest {
  const shard = new ShardUnderTest({ clusters });
  shard.podsOf("east", ...east);
  shard.podsOf("west", member(2), member(3));
  drain(shard, [...shard.settle("east"), ...shard.settle("west")]);
  return shard;
}

/** What stands of the one group that there is; `members`: the clusters that its labels name. */
export function standing(shard: ShardUnderTest) {
  const [only, ...others] = [...shard.gateway.values()];
  expect(others).toEqual([]);
  const upstream = only?.upstream as {
    nodes: { host: string; weight: number }[];
    labels: object;
    retries: number;
  };
  return {
    ...{ hosts: upstream.nodes.map(({ host }) => host), upstream, route: only?.route },
    members: Object.keys(upstream.labels).flatMap((label) => label.split("translator/member.").slice(1)),
  };
}

/** What these changes ask to be written. */
export const writes = (changes: readonly Change[]): string[] =>
  changes.flatMap(({ stand }) => [
    ...(stand.type === "absent" ? ["delete"] : []),
    ...("upstream" in stand && stand.upstream ? ["upstream"] : []),
    ...("route" in stand && stand.route ? ["route"] : []),
  ]);

/** What a new leader's shard says that first cannot see `unseen`, and what of that would be written. */
export function successor(shard: ShardUnderTest, seen: Readonly<Record<string, readonly PodProjection[]>>) {
  const next = shard.successor({ clusters });
  const changes: Change[] = [];
  for (const { name } of clusters) {
    const pods = seen[name];
    if (pods === undefined) changes.push(...next.unsettle(name));
    else changes.push(...next.podsOf(name, ...pods), ...next.settle(name));
  }
  changes.push(...next.answerNeeds());
  return { next, changes };
}
