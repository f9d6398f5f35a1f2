import { describe, expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const web = { name: "web", port: 8080, host: "shop.example.com", share: "cluster" };
const one = pod({ name: "web-1", created: 1, ips: ["10.0.0.1"], declares: [web] });
const two = pod({ name: "web-2", created: 2, ips: ["10.0.0.2"], declares: [web] });
/** Has the name of `two`, and is another Pod. */
const successor = pod({ ...two, uid: "uid-other", created: 3, ips: ["10.0.0.3"], paused: true });

function drain(shard: ShardUnderTest, announced: readonly Change[]): void {
  for (let changes = [...announced, ...shard.answerNeeds()]; changes.length > 0;)
    changes = [...changes.flatMap((change) => shard.write(change).changes), ...shard.answerNeeds()];
}

function established(...pods: readonly PodProjection[]): ShardUnderTest {
  const shard = new ShardUnderTest();
  shard.pods(...pods);
  drain(shard, shard.settle());
  return shard;
}

function standing(shard: ShardUnderTest): { readonly hosts: readonly string[]; readonly hasRoute: boolean } {
  const [only] = [...shard.gateway.values()];
  const nodes = only?.upstream?.["nodes"] as readonly { readonly host: string }[];
  return { hosts: nodes.map(({ host }) => host), hasRoute: only?.route !== undefined };
}

describe("a paused Pod in the place of another one of its name whose end was not heard of", () => {
  it("gives nothing, and what the other one gave goes; so it stays under the next leader", () => {
    const shard = established(one, two);
    drain(shard, shard.pods(successor));
    expect(standing(shard).hosts).toEqual(["10.0.0.1"]);
    const next = shard.successor();
    next.pods(one, successor);
    drain(next, next.settle());
    expect(standing(next).hosts).toEqual(["10.0.0.1"]);
  });

  it("keeps the route of a group that it is alone in", () => {
    const shard = established(two);
    drain(shard, shard.pods(successor));
    expect(standing(shard)).toEqual({ hosts: [], hasRoute: true });
  });

  it("keeps no part in a group that it does not declare", () => {
    const shard = established(one, two);
    drain(shard, shard.pods({ ...successor, routes: "[]" }));
    expect(standing(shard).hosts).toEqual(["10.0.0.1"]);
  });

  it("gives its own node once its pause ends", () => {
    const shard = established(one, two);
    drain(shard, shard.pods(successor));
    drain(shard, shard.pods({ ...successor, paused: false }));
    expect(standing(shard).hosts).toEqual(["10.0.0.1", "10.0.0.3"]);
  });

  it("keeps what stands under the name where nobody knows of the other one: nodes name no uid", () => {
    const next = established(one, two).successor();
    next.pods(one, successor);
    drain(next, next.settle());
    expect(standing(next).hosts).toEqual(["10.0.0.1", "10.0.0.2"]);
  });
});
