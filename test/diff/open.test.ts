import { describe, expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import { pod, ShardUnderTest, web } from "./shard-under-test.ts";

const shared = { controller: "ReplicaSet" } as const;
const unreadable = pod({ name: "web-1", ips: ["10.0.0.2"], routes: "{", ...shared });
const needsIn = (shard: ShardUnderTest): number => shard.said.filter(({ type }) => type === "need").length;

describe("an object that cannot be read from the start", () => {
  it("belongs to nothing that is written afterwards: no look is asked for", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web, ...shared }), unreadable);
    const change = shard.settle().find(({ stand }) => stand.type === "live");
    expect(shard.write(change!).changes).toEqual([]);
    shard.write(shard.pods(pod({ declares: web, ...shared, ready: false }))[0]!);
    expect(needsIn(shard)).toBe(0);
  });

  it("may belong to a group that stands: nothing is said of it, nor built, before a look", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web, ...shared }), pod({ ...unreadable, routes: JSON.stringify(web) }));
    const [first] = shard.settle();
    shard.write(first!);
    const next = shard.successor();
    next.pods(pod({ declares: web, ...shared }), unreadable);
    const isOfGroup = ({ id }: { readonly id: string }): boolean => id === first!.id;
    expect(next.settle().filter(isOfGroup)).toEqual([]);
    expect(next.body(first!.id, "upstream")).toBeUndefined();
    expect(next.answerNeeds().find(isOfGroup)).toMatchObject({
      stand: { type: "live", nodes: 2, upstream: false, route: false },
    });
  });
});

describe("an object that cannot be read from the start, and a route without an upstream of ours", () => {
  const cors = [{ ...web[0], plugins: { cors: {} } }];
  const without = (...objects: Parameters<ShardUnderTest["pods"]>): [ShardUnderTest, string] => {
    const shard = new ShardUnderTest({ plugins: ["cors"] });
    shard.pods(pod({ declares: cors, ...shared }));
    const [first] = shard.settle() as [Change];
    shard.write(first);
    const { id } = first;
    const { known, route } = shard.gateway.get(id)!;
    const { upstream: _taken, ...rest } = known;
    shard.gateway.set(id, { ...(route === undefined ? {} : { route }), known: rest });
    const next = shard.successor({ plugins: [] });
    next.pods(...objects);
    next.settle();
    return [next, id];
  };
  const lastOf = (shard: ShardUnderTest, id: string): Change["stand"] | undefined => {
    const changes = shard.said.flatMap((said) => ("changes" in said ? said.changes : []));
    return changes.findLast((change) => change.id === id)?.stand;
  };

  it("may have been a member: the route stays, and the object gives no nodes to whoever joins", () => {
    const [shard, id] = without(unreadable);
    shard.answerNeeds();
    expect(lastOf(shard, id)).toMatchObject({ type: "frozen", upstream: false });
    expect(shard.body(id, "upstream")).toBeUndefined();
    shard.pods(pod({ declares: web, name: "web-2", ips: ["10.0.0.3"], ...shared }));
    expect(shard.body(id, "upstream")?.body["nodes"]).toMatchObject([{ host: "10.0.0.3" }]);
  });

  it("once it can be read and declares something else, the route goes", () => {
    const [shard, id] = without(unreadable);
    shard.answerNeeds();
    shard.pods(pod({ ...unreadable, routes: "[]" }));
    expect(lastOf(shard, id)).toMatchObject({ type: "absent" });
  });

  it("may have been one beside a member that policy forbids by now", () => {
    const [shard, id] = without(unreadable, pod({ declares: cors, ...shared }));
    shard.answerNeeds();
    expect(lastOf(shard, id)).toMatchObject({ type: "frozen", upstream: false });
  });

  it("counts for nothing where somebody else is a member", () => {
    const [shard, id] = without(unreadable, pod({ declares: web, ...shared }));
    shard.answerNeeds();
    expect(shard.body(id, "upstream")?.body["nodes"]).toMatchObject([{ host: "10.0.0.1" }]);
  });
});

describe("frozen settings", () => {
  const frozen = (): ShardUnderTest => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    shard.write(shard.settle()[0]!);
    const next = shard.successor();
    next.pods(pod({ routes: "{" }));
    next.settle();
    return next;
  };

  it("are not read again because an audit has found what stood before", () => {
    const shard = frozen();
    shard.answerNeeds();
    const moved = pod({ routes: "{", ips: ["10.0.0.9"] });
    const [change] = shard.pods(moved).filter(({ stand }) => stand.type === "frozen");
    expect(shard.body(change!.id, "upstream")?.body["nodes"]).toMatchObject([{ host: "10.0.0.9" }]);
    shard.send({ type: "known", entries: [shard.gateway.get(change!.id)!.known] });
    expect(needsIn(shard)).toBe(0);
  });

  it("are read again where they were read before they came to stand", () => {
    const shard = frozen();
    const [[id, { known }]] = [...shard.gateway] as [[string, { known: never }]];
    shard.said.length = 0;
    shard.send({ type: "known", entries: [{ ...(known as object), upstream: undefined } as never] });
    shard.send({ type: "kept", id, upstream: null, route: null });
    shard.send({ type: "known", entries: [known] });
    expect(needsIn(shard)).toBe(1);
    expect(shard.body(id, "upstream")).toBeUndefined();
    expect(needsIn(shard)).toBe(1);
    shard.answerNeeds();
    expect(
      shard.pods(pod({ routes: "{", ips: ["10.0.0.9"] })).find((change) => change.id === id)?.stand,
    ).toMatchObject({ type: "frozen", upstream: true, nodes: 1 });
  });
});

it("a body that was handed out and cannot be honoured when it is asked for again is announced again", () => {
  const shard = new ShardUnderTest();
  shard.pods(pod({ declares: web }));
  const [{ id } = { id: "" }] = shard.settle();
  expect(shard.body(id, "upstream")).toBeDefined();
  shard.unsettle("east");
  expect(shard.body(id, "upstream")).toBeUndefined();
  expect(shard.settle().at(-1)?.stand).toMatchObject({ type: "live", upstream: true });
});

it("a paused member of a group is not Forbidden by a policy that came meanwhile, also after a restart", () => {
  const declares = [{ ...web[0], plugins: { cors: {} } }];
  const open = new ShardUnderTest({ plugins: ["cors"] });
  open.pods(pod({ declares, ...shared }));
  open.write(open.settle()[0]!);
  const closed = open.successor({ plugins: [] });
  closed.pods(pod({ declares, ...shared, paused: true }));
  const said = [...closed.settle(), ...closed.answerNeeds()];
  expect(new Set(said.map(({ stand }) => stand.type))).toEqual(new Set(["frozen"]));
});
