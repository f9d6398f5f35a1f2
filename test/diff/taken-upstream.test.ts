import { expect, it } from "vitest";
import type { Stand } from "../../src/shard/change.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const clusters = ["east", "west"].map((name) => ({ name, addressFamily: "IPv4", weight: 100 }) as const);
const declares = [{ name: "web", port: 8080, host: "shop.example.com", share: "fleet" }];

/** A new leader's shard with these in its configuration: the group had members in both, and of the upstream it is known whom it names. */
function successor(
  named: readonly string[],
  configured: typeof clusters,
): [ShardUnderTest, () => Stand | undefined] {
  const shard = new ShardUnderTest({ clusters });
  shard.podsOf("east", pod({ declares }));
  shard.podsOf("west", pod({ declares, name: "web-2", created: 1_000_002, ips: ["10.0.0.3"] }));
  const [first] = [...shard.settle("east"), ...shard.settle("west")].slice(-1);
  shard.write(first!);
  const { id } = first!;
  const { upstream: _taken, ...known } = shard.gateway.get(id)!.known;
  const members = known.members!.filter(([name]) => named.includes(name));
  shard.gateway.set(id, { route: shard.gateway.get(id)!.route!, known: { ...known, members } });
  const next = shard.successor({ clusters: configured });
  return [
    next,
    () => {
      const changes = next.said.flatMap((said) => ("changes" in said ? said.changes : []));
      return changes.findLast((change) => change.id === id)?.stand;
    },
  ];
}

it("invariant 2: a fleet group's route whose upstream is not ours any more stays for a cluster which that names and which has left the configuration, until it is purged", () => {
  const [next, last] = successor(["east", "west"], clusters.slice(0, 1));
  next.settle("east");
  next.letGo();
  expect(last()?.type).toBe("frozen");
  next.send({ type: "purge", cluster: "west" });
  expect(last()?.type).toBe("absent");
});

it("invariant 2: nobody has written since into an upstream that is not ours any more: a cluster out of sight may have come to the group without being named", () => {
  const [next, last] = successor(["east"], clusters);
  next.unsettle("west");
  next.settle("east");
  next.letGo();
  expect(last()?.type).toBe("frozen");
  next.settle("west");
  next.letGo();
  expect(last()?.type).toBe("absent");
});

it("the guard: where nothing says whose a fleet group's route is, it is not let go as a purged cluster's, which is in the configuration again, when what goes is another's part", () => {
  const [next, last] = successor([], clusters);
  next.send({ type: "purge", cluster: "east" });
  expect(last()).toBeUndefined();
  next.settle("west");
  next.letGo();
  expect(last()).toEqual({ type: "absent", grace: true, cause: "gone" });
});

it("what names the purged cluster goes past the guard", () => {
  const [next, last] = successor(["east"], clusters);
  next.send({ type: "purge", cluster: "east" });
  next.settle("west");
  next.letGo();
  expect(last()).toMatchObject({ type: "absent", grace: false, cause: "purged" });
});
