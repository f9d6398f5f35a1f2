import { describe, expect, it } from "vitest";
import { pod, ShardUnderTest, web } from "./shard-under-test.ts";

describe("an annotation that turns bad", () => {
  it.each([
    ["with a bad field", [{ ...web[0], retries: 11 }]],
    ["without a name", [{ port: 8080, host: "shop.example.com" }]],
    ["not JSON at all", undefined],
  ])("%s freezes the settings and follows the nodes, also after a restart", (_, declares) => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    const [first] = shard.settle();
    shard.write(first!);
    const bad = declares === undefined ? pod({ routes: "{" }) : pod({ declares });
    shard.pods(bad);
    const moved = { ...bad, ips: ["10.0.0.9"] };
    const [change] = shard.pods(moved).filter(({ id }) => id === first!.id);
    expect(change!.stand).toMatchObject({ type: "frozen", upstream: true, nodes: 1 });
    const { upstream } = shard.write(change!);
    expect(upstream!["nodes"]).toEqual([{ host: "10.0.0.9", port: 8080, weight: 100 }]);

    const next = shard.successor();
    next.pods({ ...bad, ips: ["10.0.0.10"] });
    next.settle();
    const [again] = next.answerNeeds().filter(({ id }) => id === first!.id);
    expect(again!.stand).toMatchObject({ type: "frozen", upstream: true, nodes: 1 });
    const written = next.write(again!).upstream!;
    expect(written["nodes"]).toEqual([{ host: "10.0.0.10", port: 8080, weight: 100 }]);
    expect(written["retries"]).toBe(1);
  });

  it("and was never routed leaves nothing to write, and counts as invalid", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: [{ ...web[0], retries: 11 }] }));
    expect(shard.settle()).toMatchObject([{ counts: { Invalid: 1 }, stand: { type: "nothing" } }]);
  });
});

describe("what stands is kept", () => {
  it("of every object of a namespace that cannot be read, also where what stands is told after the objects", () => {
    const names = ["web-0", "web-1", "web-2"];
    const shard = new ShardUnderTest();
    shard.pods(...names.map((name) => pod({ name, declares: [{ ...web[0], host: `${name}.example.com` }] })));
    for (const change of shard.settle()) shard.write(change);
    const next = new ShardUnderTest();
    next.pods(...names.map((name) => pod({ name, routes: "{" })));
    next.send({ type: "known", entries: [...shard.gateway.values()].map(({ known }) => known) });
    expect(next.settle().map(({ stand }) => stand.type)).toEqual(["frozen", "frozen", "frozen"]);
  });

  it.each([
    ["share: fleet and a port that no container has", { share: "fleet", port: "gone" }],
    ["another share and a port that no container has", { share: "cluster", port: "gone" }],
    ["another share and no host", { share: "cluster", host: undefined }],
    ["another share and, by default, a pair of an earlier entry", { share: "cluster" }, { uri: "/*" }],
  ])("when an edit is invalid and names %s", (_, edit, earlier?: object) => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    const [first] = shard.settle();
    shard.write(first!);
    const before = earlier === undefined ? [] : [{ ...web[0], ...earlier, name: "before" }];
    const edited = pod({ declares: [...before, { ...web[0], ...edit }] });
    const changes = shard.pods(edited);
    expect(changes.filter(({ stand }) => stand.type === "absent")).toEqual([]);
    const next = shard.successor();
    next.pods(edited);
    const said = [...next.settle(), ...next.answerNeeds()];
    expect(said.filter(({ stand }) => stand.type === "absent")).toEqual([]);
    expect(said.find(({ id }) => id === first!.id)!.stand.type).toBe("frozen");
  });

  it.each([
    ["is emptied", "[]"],
    ["goes", undefined],
    ["renames the route", JSON.stringify([{ ...web[0], name: "site" }])],
    ["changes its share", JSON.stringify([{ ...web[0], share: "cluster" }])],
    ["cannot be read", "{"],
  ])("when the annotation of a paused Pod %s, also by a restart", (_, routes) => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    const [first] = shard.settle();
    shard.write(first!);
    const paused = pod({ paused: true, routes, ready: false });
    const touches = (changes: readonly { stand: { type: string } }[]) =>
      changes.filter(
        ({ stand }) => stand.type === "absent" || stand.type === "live" || stand.type === "frozen",
      );
    expect(touches(shard.pods(paused))).toEqual([]);
    const next = shard.successor();
    next.pods(paused);
    expect(touches([...next.settle(), ...next.answerNeeds()])).toEqual([]);
    const ended = next.pods({ ...paused, paused: false, routes: "[]" }).find(({ id }) => id === first!.id);
    expect(ended!.stand).toMatchObject({ type: "absent", grace: false });
  });
});
