import { expect, it } from "vitest";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const clusters = ["east", "west"].map((name) => ({ name, addressFamily: "IPv4", weight: 100 }) as const);
const declares = [{ name: "web", port: 8080, host: "shop.example.com", share: "fleet" }];

it("invariant 2: a fleet group's route whose upstream is not ours any more stays for a cluster which that names and which has left the configuration, until it is purged", () => {
  const shard = new ShardUnderTest({ clusters });
  const inEast = pod({ declares });
  shard.podsOf("east", inEast);
  shard.podsOf("west", pod({ declares, name: "web-2", created: 1_000_002, ips: ["10.0.0.3"] }));
  const [first] = [...shard.settle("east"), ...shard.settle("west")].slice(-1);
  shard.write(first!);
  const { id } = first!;
  const { upstream: _taken, ...known } = shard.gateway.get(id)!.known;
  shard.gateway.set(id, { route: shard.gateway.get(id)!.route!, known });
  const next = shard.successor({ clusters: clusters.slice(0, 1) });
  next.settle("east");
  next.letGo();
  const lastOf = (): unknown => {
    const changes = next.said.flatMap((said) => ("changes" in said ? said.changes : []));
    return changes.findLast((change) => change.id === id)?.stand.type;
  };
  expect(lastOf()).toBe("frozen");
  next.send({ type: "purge", cluster: "west" });
  expect(lastOf()).toBe("absent");
});
