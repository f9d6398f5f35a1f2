import { describe, expect, it } from "vitest";
import { pod, ShardUnderTest, web } from "./shard-under-test.ts";

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
