import { describe, expect, it } from "vitest";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const web = [{ name: "web", port: "http", host: "shop.example.com" }];

describe("a declared Pod", () => {
  it("is announced only when its cluster is settled", () => {
    const shard = new ShardUnderTest();
    expect(shard.pods(pod({ declares: web }))).toEqual([]);
    const [change, ...rest] = shard.settle();
    expect(rest).toEqual([]);
    expect(change).toMatchObject({
      identity: {
        share: "none",
        cluster: "east",
        kind: "pod",
        namespace: "shop",
        name: "web-0",
        route: "web",
      },
      counts: { Valid: 1 },
      stand: { type: "live", pairs: ["shop.example.com /*"], nodes: 1, upstream: true, route: true },
    });
  });

  it("becomes the upstream and the route of PRODUCT.md", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    const [change] = shard.settle();
    const { upstream, route, changes } = shard.write(change!);
    expect(changes).toEqual([]);
    expect(upstream).toMatchObject({
      type: "roundrobin",
      scheme: "http",
      pass_host: "pass",
      retries: 1,
      nodes: [{ host: "10.0.0.1", port: 8080, weight: 100 }],
      labels: {
        "managed-by": "apisix-translator",
        "translator/instance": "default",
        "translator/cluster": "east",
        "translator/kind": "pod",
        "translator/namespace": "shop",
        "translator/name": "web-0",
        "translator/route": "web",
        "translator/share": "none",
        "translator/uid": "uid-web-0",
        "translator/member.east": "uid-east",
        "translator/select": "http,endpoint,ready",
      },
    });
    expect(route).toMatchObject({ hosts: ["shop.example.com"], uris: ["/*"], upstream_id: change!.id });
    expect(route!["labels"]).not.toHaveProperty("translator/uid");
  });

  it("that stands already needs no write after a restart", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    shard.write(shard.settle()[0]!);
    const next = shard.successor();
    next.pods(pod({ declares: web }));
    const [change] = next.settle();
    expect(change!.stand).toMatchObject({ type: "live", upstream: false, route: false });
  });

  it("that turns unready changes its upstream only", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    shard.write(shard.settle()[0]!);
    const [change] = shard.pods(pod({ declares: web, ready: false }));
    expect(change!.stand).toMatchObject({ type: "live", upstream: true, route: false, nodes: 0 });
    expect(shard.body(change!.id, "upstream")!.body["nodes"]).toEqual([]);
  });

  it("that is deleted leaves with grace; whose declaration is taken out, without", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    shard.write(shard.settle()[0]!);
    expect(shard.gone(pod())[0]!.stand).toEqual({ type: "absent", grace: true, cause: "gone" });
    shard.pods(pod({ declares: web }));
    expect(shard.pods(pod({ declares: [] }))[0]!.stand).toEqual({
      type: "absent",
      grace: false,
      cause: "undeclared",
    });
  });

  it("whose route is renamed hands its pairs to the new one", () => {
    const shard = new ShardUnderTest();
    shard.pods(pod({ declares: web }));
    shard.write(shard.settle()[0]!);
    const changes = shard.pods(pod({ declares: [{ ...web[0], name: "site" }] }));
    expect(changes.map(({ stand }) => stand.type).toSorted()).toEqual(["absent", "live"]);
    expect(changes.find(({ stand }) => stand.type === "live")!.stand).toMatchObject({ inherits: true });
  });
});

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

describe("a group of Pods", () => {
  const member = (name: string, more: object = {}) =>
    pod({ name, declares: web, controller: "ReplicaSet", ips: [`10.0.1.${name.at(-1)}`], ...more });

  it("is one route with the nodes of all, named by their owners", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1"), member("web-2"));
    const [change, ...rest] = shard.settle();
    expect(rest).toEqual([]);
    expect(shard.write(change!).upstream!["nodes"]).toEqual([
      { host: "10.0.1.1", port: 8080, weight: 100, metadata: { cluster: "east", name: "web-1" } },
      { host: "10.0.1.2", port: 8080, weight: 100, metadata: { cluster: "east", name: "web-2" } },
    ]);
  });

  it("keeps every ready Pod as a node while a rollout edits the annotation (M10)", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1", { created: 1 }), member("web-2", { created: 2 }));
    shard.write(shard.settle()[0]!);
    const edited = [{ ...web[0], port: 9090, priority: 5 }];
    const [change] = shard.pods(member("web-3", { created: 3, declares: edited }));
    expect(change!.counts).toEqual({ Valid: 2, SpecMismatch: 1 });
    expect(change!.reason).toBe(
      "east/shop/pod/web-3: differs in port, priority from east/shop/pod/web-1, the oldest member of its group, which sets the route and the upstream",
    );
    expect(shard.write(change!).upstream!["nodes"]).toMatchObject([
      { host: "10.0.1.1", port: 8080 },
      { host: "10.0.1.2", port: 8080 },
      { host: "10.0.1.3", port: 9090 },
    ]);
  });

  it("keeps out the nodes of a member whose scheme differs", () => {
    const shard = new ShardUnderTest();
    shard.pods(
      member("web-1", { created: 1 }),
      member("web-2", { created: 2, declares: [{ ...web[0], scheme: "https" }] }),
    );
    expect(shard.write(shard.settle()[0]!).upstream!["nodes"]).toHaveLength(1);
  });

  it("takes in a new Pod whose declaration is invalid, with the group's own port", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1"));
    shard.write(shard.settle()[0]!);
    const [change] = shard.pods(member("web-2", { declares: [{ ...web[0], retries: -1 }] }));
    expect(change!.counts).toEqual({ Valid: 1, Invalid: 1 });
    expect(shard.write(change!).upstream!["nodes"]).toHaveLength(2);
  });

  it("keeps a paused member's part as it was, also after a restart", () => {
    const shard = new ShardUnderTest();
    shard.pods(member("web-1", { created: 1 }), member("web-2", { created: 2 }));
    shard.write(shard.settle()[0]!);
    const paused = member("web-2", { created: 2, paused: true, ready: false });
    const changes = shard.pods(paused);
    for (const change of changes) expect(change.stand).toMatchObject({ upstream: false });
    const next = shard.successor();
    next.pods(member("web-1", { created: 1 }), paused);
    const [change] = next.settle();
    expect(change).toMatchObject({ counts: { Valid: 1, Paused: 1 }, stand: { upstream: false } });
    expect(next.answerNeeds()).toEqual([]);
    expect(next.send({ type: "want", id: change!.id, resource: "upstream" })).toMatchObject([
      { type: "same" },
    ]);
  });
});

describe("plugins that are not on the list", () => {
  it("are forbidden; a route that stands by an older list goes without grace", () => {
    const declares = [{ ...web[0], plugins: { cors: {} } }];
    const open = new ShardUnderTest({ plugins: ["cors"] });
    open.pods(pod({ declares }));
    open.write(open.settle()[0]!);
    const closed = open.successor({ plugins: [] });
    closed.pods(pod({ declares }));
    expect(closed.settle()).toMatchObject([
      { counts: { Forbidden: 1 }, stand: { type: "absent", grace: false, cause: "forbidden" } },
    ]);
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

it("what is said of a whole cluster goes in several messages, the answer last", () => {
  const shard = new ShardUnderTest();
  const hosts = Array.from({ length: 600 }, (_, index) => `h${index}.test`);
  for (const host of hosts)
    shard.pods(pod({ name: host.split(".")[0]!, declares: [{ name: "web", port: "http", host }] }));
  const said = shard.send({ type: "settle", cluster: "east", kind: "pods", token: 7 });
  const sizes = said.map((message) => [message.type, "changes" in message ? message.changes.length : 0]);
  expect(sizes).toEqual([
    ["changes", 256],
    ["changes", 256],
    ["settled", 88],
  ]);
});

describe("an upstream body of over 1 MiB", () => {
  it("is not built, and says how many nodes there are", () => {
    const shard = new ShardUnderTest();
    const declares = [{ ...web[0], share: "cluster" }];
    const pods = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => {
        const number = from + at;
        const ip = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
        const name = `web-${number}`.padEnd(250, "x");
        return pod({ name, uid: `uid-${number}`, ips: [ip], declares });
      });
    shard.pods(...pods(1, 3001));
    const [fits] = shard.settle();
    expect(fits).toMatchObject({ counts: { Valid: 3000 } });
    const [over] = shard.pods(...pods(3001, 4001)).slice(-1);
    const before = shard.said.length;
    expect(shard.body(over!.id, "upstream")).toBeUndefined();
    const told = shard.said.slice(before).flatMap((message) => ("changes" in message ? message.changes : []));
    expect(told.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/^the upstream has 4000 nodes, more than fit into a body of 1 MiB/),
    );
  });
});
