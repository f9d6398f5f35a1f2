import { describe, expect, it } from "vitest";
import type { Change } from "../../src/shard/change.ts";
import type { FromShard, ShardOptions } from "../../src/shard/protocol.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const cluster = (name: string, weight = 100): ShardOptions["clusters"][number] => ({
  ...{ name, addressFamily: "IPv4", weight },
});
const clusters = [cluster("east"), cluster("west")];
const web = { name: "web", port: 8080, host: "shop.example.com", share: "fleet" };

/** `number` tells its address, age and name from others'. */
function member(number: number, fields: object = {}, changed: Partial<PodProjection> = {}): PodProjection {
  const about = { name: `p-${number}`, uid: `u-${number}`, created: number, ips: [`10.0.0.${number}`] };
  return pod({ ...about, declares: [{ ...web, ...fields }], ...changed });
}

/** Writes until nothing more is announced. */
function drain(shard: ShardUnderTest, announced: readonly Change[]): void {
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
function established(east: readonly PodProjection[] = [member(1)]): ShardUnderTest {
  const shard = new ShardUnderTest({ clusters });
  shard.podsOf("east", ...east);
  shard.podsOf("west", member(2), member(3));
  drain(shard, [...shard.settle("east"), ...shard.settle("west")]);
  return shard;
}

function standing(shard: ShardUnderTest) {
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

const writes = (changes: readonly Change[]): string[] =>
  changes.flatMap(({ stand }) => [
    ...(stand.type === "absent" ? ["delete"] : []),
    ...("upstream" in stand && stand.upstream ? ["upstream"] : []),
    ...("route" in stand && stand.route ? ["route"] : []),
  ]);

/** What a new leader's shard says that first cannot see `unseen`, and what of that would be written. */
function successor(shard: ShardUnderTest, seen: Readonly<Record<string, readonly PodProjection[]>>) {
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

describe("one upstream over clusters", () => {
  it("has the nodes of all, each with its owner, and names them in its labels", () => {
    const { upstream, members } = standing(established());
    expect(upstream.nodes).toEqual([
      { host: "10.0.0.1", port: 8080, weight: 100, metadata: { cluster: "east", name: "p-1" } },
      { host: "10.0.0.2", port: 8080, weight: 100, metadata: { cluster: "west", name: "p-2" } },
      { host: "10.0.0.3", port: 8080, weight: 100, metadata: { cluster: "west", name: "p-3" } },
    ]);
    expect(members).toEqual(["east", "west"]);
    expect(upstream.labels).toMatchObject({
      "translator/member.east": "uid-east",
      "translator/member.west": "uid-west",
      "translator/share": "fleet",
    });
  });

  it("the oldest sets the spec; others differ and give nodes all the same, but for another scheme", () => {
    const shard = established([
      member(1, { retries: 5 }),
      member(4, { port: 9090 }),
      member(5, { scheme: "https" }),
    ]);
    expect(standing(shard)).toMatchObject({
      hosts: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"],
      upstream: { retries: 5 },
    });
  });

  it("is announced once a cluster is seen, whether the others are or not, where nothing of it stands", () => {
    const shard = new ShardUnderTest({ clusters });
    shard.podsOf("west", member(2));
    expect(shard.podsOf("east", member(3))).toEqual([]);
    drain(shard, shard.settle("east"));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.3"], members: ["east"] });
    drain(shard, shard.settle("west"));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["east", "west"] });
  });

  it("loses a cluster's name with its last member, and goes with its last member of all", () => {
    const shard = established();
    drain(shard, shard.gone(member(1)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["west"] });
    drain(shard, shard.gone(member(2), "west"));
    expect(shard.gone(member(3), "west")).toMatchObject([
      { stand: { type: "absent", grace: true, cause: "gone" } },
    ]);
  });

  it("needs a host where the template names the cluster", () => {
    const shard = new ShardUnderTest({ clusters, defaultHost: "{route}.{cluster}.example.com" });
    shard.podsOf("east", member(1, { host: undefined }));
    expect(shard.settle("east")).toMatchObject([{ counts: { Invalid: 1 }, stand: { type: "nothing" } }]);
  });

  it("is Forbidden where each shard sees one cluster, and the reason names the flag", () => {
    const shard = new ShardUnderTest({ clusters, by: "cluster" });
    expect(shard.podsOf("east", member(1))).toMatchObject([
      { counts: { Forbidden: 1 }, reason: expect.stringContaining("shards.by"), stand: { type: "nothing" } },
    ]);
  });

  it("takes its pairs even so: a later entry of the same annotation that wants one is Invalid", () => {
    const shard = new ShardUnderTest({ clusters, by: "cluster" });
    const { share: _share, ...alone } = web;
    const routes = JSON.stringify([web, { ...alone, name: "admin", uri: "/*" }]);
    shard.podsOf("east", member(1, {}, { routes }));
    expect(shard.settle("east")).toMatchObject([{ counts: { Invalid: 1 }, stand: { type: "nothing" } }]);
  });
});

describe("M6 a cluster that goes out of sight", () => {
  it("changes nothing by itself, and asks for nothing", () => {
    const shard = established();
    const changes = shard.unsettle("west");
    expect(writes(changes)).toEqual([]);
    expect(changes).toMatchObject([{ counts: { Valid: 1, Unseen: 2 }, stand: { type: "frozen", nodes: 3 } }]);
    expect(shard.said.filter(({ type }) => type === "need")).toEqual([]);
  });

  it("keeps its nodes, whatever is heard of it before it is seen again; the others' are followed", () => {
    const shard = established();
    shard.unsettle("west");
    drain(shard, shard.gone(member(2), "west"));
    drain(shard, shard.podsOf("east", member(4), member(1, {}, { ready: false })));
    expect(standing(shard)).toMatchObject({
      hosts: ["10.0.0.2", "10.0.0.3", "10.0.0.4"],
      members: ["east", "west"],
    });
    drain(shard, shard.settle("west"));
    expect(standing(shard).hosts).toEqual(["10.0.0.3", "10.0.0.4"]);
  });

  it("keeps the settings as they stand, though whoever is left wants others; back, the oldest sets them", () => {
    const shard = established([member(1, { retries: 5 })]);
    shard.unsettle("east");
    drain(shard, shard.podsOf("west", member(2, { retries: 7, uri: "/v2/*" })));
    expect(standing(shard)).toMatchObject({ upstream: { retries: 5 }, route: { uris: ["/*"] } });
    drain(shard, shard.gone(member(1)));
    expect(standing(shard)).toMatchObject({ upstream: { retries: 5 }, route: { uris: ["/*"] } });
    drain(shard, shard.settle("east"));
    expect(standing(shard)).toMatchObject({ upstream: { retries: 5 }, members: ["east", "west"] });
    drain(shard, shard.letGo());
    expect(standing(shard)).toMatchObject({
      upstream: { retries: 7 },
      route: { uris: ["/v2/*"] },
      members: ["west"],
    });
  });

  it("keeps the group, when nothing else declares it any more", () => {
    const shard = established();
    shard.unsettle("west");
    drain(shard, shard.gone(member(1)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["west"] });
    shard.gone(member(2), "west");
    shard.gone(member(3), "west");
    expect(shard.settle("west")).toMatchObject([{ stand: { type: "absent", cause: "gone" } }]);
  });

  it("what was on its way then is read before anything else is written", () => {
    const shard = established();
    const [change] = shard.podsOf("west", member(4));
    const sent = shard.body(change!.id, "upstream")!;
    shard.unsettle("west");
    expect(shard.body(change!.id, "upstream")).toBeUndefined();
    const held = shard.gateway.get(change!.id)!;
    const known = { ...held.known, upstream: { digest: sent.digest } };
    shard.gateway.set(change!.id, { ...held, upstream: sent.body, known });
    shard.send({ type: "known", entries: [known] });
    drain(shard, shard.podsOf("east", member(5)));
    expect(standing(shard).hosts).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"]);
  });

  it("what was read of it before is not taken for what stands, when it is lost while a write of it is on its way", () => {
    const shard = established();
    const { next } = successor(shard, {
      east: [member(1, {}, { paused: true })],
      west: [member(2), member(3)],
    });
    // It has been read, for East's member is paused; then West has one more, and its write is on its way.
    drain(next, next.podsOf("west", member(4)));
    const [change] = next.podsOf("west", member(5));
    const sent = next.body(change!.id, "upstream")!;
    next.unsettle("west");
    next.podsOf("east", member(6));
    expect(next.body(change!.id, "upstream")).toBeUndefined();
    const held = next.gateway.get(change!.id)!;
    const known = { ...held.known, upstream: { digest: sent.digest } };
    next.gateway.set(change!.id, { ...held, upstream: sent.body, known });
    next.send({ type: "known", entries: [known] });
    drain(next, []);
    expect(standing(next).hosts).toEqual([
      "10.0.0.1",
      "10.0.0.2",
      "10.0.0.3",
      "10.0.0.4",
      "10.0.0.5",
      "10.0.0.6",
    ]);
  });

  it("its weight 0 takes its nodes out all the same, another weight is written", () => {
    const shard = established();
    shard.unsettle("west");
    const weigh = (weight: number): FromShard[] =>
      shard.send({
        type: "configure",
        options: {
          ...{ instance: "default", defaultUri: "/*", plugins: [], by: "service" },
          ...{ clusters: [cluster("east"), cluster("west", weight)] },
          nodePort: { maxNodes: 64, address: "InternalIP" },
        },
      });
    const changesIn = (said: readonly FromShard[]) =>
      said.flatMap((message) => (message.type === "changes" ? message.changes : []));
    drain(shard, changesIn(weigh(0)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.1"], members: ["east", "west"] });
    drain(shard, changesIn(weigh(10)));
    expect(standing(shard).upstream.nodes.map(({ weight }) => weight)).toEqual([100, 10, 10]);
  });

  it("leaves the configuration: likewise, until it is back and seen", () => {
    const shard = established();
    const configure = (names: typeof clusters): void => {
      const options = {
        ...{ instance: "default", defaultUri: "/*", plugins: [], by: "service" as const, clusters: names },
        nodePort: { maxNodes: 64, address: "InternalIP" as const },
      };
      drain(
        shard,
        shard.send({ type: "configure", options }).flatMap((m) => ("changes" in m ? m.changes : [])),
      );
    };
    configure([cluster("east")]);
    drain(shard, shard.podsOf("east", member(4)));
    expect(standing(shard)).toMatchObject({ hosts: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"] });
    configure(clusters);
    drain(shard, shard.podsOf("west", member(2)));
    expect(standing(shard).hosts).toHaveLength(4);
    drain(shard, shard.settle("west"));
    expect(standing(shard).hosts).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.4"]);
  });
});

describe("M8 a new leader that cannot see one cluster", () => {
  it.each([
    ["held the oldest member", { west: [member(2), member(3)] }],
    ["held none of the oldest", { east: [member(1, { retries: 5 })] }],
  ])("which %s: writes nothing", (_, seen) => {
    const { next, changes } = successor(established([member(1, { retries: 5 })]), seen);
    expect(writes(changes)).toEqual([]);
    expect(next.said.filter(({ type }) => type === "need")).toEqual([]);
  });

  it("freezes the settings, keeps its nodes, and follows the others'", () => {
    const shard = established([member(1, { retries: 5, port: 9090 })]);
    const { next, changes } = successor(shard, { west: [member(2), member(3)] });
    drain(next, changes);
    drain(next, next.podsOf("west", member(2, { retries: 7 }, { ready: false }), member(4)));
    expect(standing(next)).toMatchObject({
      hosts: ["10.0.0.1", "10.0.0.3", "10.0.0.4"],
      upstream: { retries: 5 },
      members: ["east", "west"],
    });
  });

  it("follows a member that cannot be read by the port that stands", () => {
    const shard = established([member(1, { port: 9090 }), member(4)]);
    const { next, changes } = successor(shard, { west: [member(2, { retries: "many" }), member(3)] });
    drain(next, changes);
    drain(next, next.podsOf("west", member(2, { retries: "many" }, { ips: ["10.0.9.9"] })));
    const moved = standing(next).upstream.nodes.find(({ host }) => host === "10.0.9.9");
    expect(moved).toMatchObject({ port: 9090 });
  });

  it("which held all nodes: they stay, whoever joins", () => {
    const shard = established([]);
    const { next, changes } = successor(shard, { east: [] });
    expect(changes).toEqual([]);
    drain(next, next.podsOf("east", member(9, {}, { ready: false })));
    expect(standing(next)).toMatchObject({ hosts: ["10.0.0.2", "10.0.0.3"], members: ["east", "west"] });
  });

  it("which held no node: the others' are followed, and it stays a member", () => {
    const shard = established([member(1, {}, { ready: false })]);
    const { next, changes } = successor(shard, { west: [member(2), member(3)] });
    expect(writes(changes)).toEqual([]);
    drain(next, next.gone(member(3), "west"));
    expect(standing(next)).toMatchObject({ hosts: ["10.0.0.2"], members: ["east", "west"] });
  });

  it("waits for those that may still be heard", () => {
    const next = established().successor({ clusters });
    next.podsOf("east", member(1, {}, { ready: false }));
    expect(next.settle("east")).toEqual([]);
    expect(next.answerNeeds()).toEqual([]);
    drain(next, next.unsettle("west"));
    expect(standing(next).hosts).toEqual(["10.0.0.2", "10.0.0.3"]);
  });

  it("whose upstream's labels somebody took off: every cluster may be in it", () => {
    const next = established().successor({ clusters });
    const [held] = [...next.gateway.values()];
    next.send({ type: "known", entries: [{ ...held!.known, members: [] }] });
    expect(next.settle("east")).toEqual([]);
    drain(next, next.unsettle("west"));
    expect(standing(next).hosts).toEqual(["10.0.0.2", "10.0.0.3"]);
    expect(next.settle("west")).toMatchObject([{ stand: { type: "absent" } }]);
  });
});

describe("what cannot be read, or is paused", () => {
  it("an annotation that cannot be read is a member of the group in which its nodes stand, and of no other", () => {
    const shard = established();
    const broken = member(2, {}, { routes: "{" });
    const late = member(7, {}, { routes: "{" });
    const next = shard.successor({ clusters });
    next.podsOf("east", member(1));
    next.podsOf("west", broken, member(3), late);
    const changes = [...next.settle("east"), ...next.settle("west")];
    expect(writes(changes)).toEqual([]);
    expect(writes(next.answerNeeds())).toEqual([]);
    drain(next, next.podsOf("west", { ...broken, ready: false }));
    expect(standing(next).hosts).toEqual(["10.0.0.1", "10.0.0.3"]);
  });

  it("a paused member keeps its part as it stands, also under a new leader", () => {
    const shard = established();
    const paused = { ...member(2), paused: true, ready: false };
    expect(writes(shard.podsOf("west", paused))).toEqual([]);
    const { next, changes } = successor(shard, { east: [member(1)], west: [paused, member(3)] });
    expect(writes(changes)).toEqual([]);
    drain(next, next.podsOf("east", member(4)));
    expect(standing(next).hosts).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"]);
  });
});

describe("purge and accept", () => {
  const purge = (shard: ShardUnderTest, name: string): Change[] =>
    shard.send({ type: "purge", cluster: name }).flatMap((said) => ("changes" in said ? said.changes : []));

  it("a purged cluster's part and name are dropped, and the others set the spec", () => {
    const shard = established([member(1, { retries: 5 })]);
    shard.unsettle("east");
    drain(shard, purge(shard, "east"));
    expect(standing(shard)).toMatchObject({
      hosts: ["10.0.0.2", "10.0.0.3"],
      members: ["west"],
      upstream: { retries: 1 },
    });
  });

  it("a group that is only its goes, and so do those of that cluster alone", () => {
    const shard = established([member(1, { share: "none", host: "own.example.com" })]);
    const { next } = successor(shard, { east: [], west: undefined as never });
    const gone = purge(next, "west");
    expect(gone).toMatchObject([{ stand: { type: "absent", grace: false, cause: "purged" } }]);
    shard.unsettle("east");
    expect(purge(shard, "east")).toMatchObject([{ identity: { share: "none" }, stand: { cause: "purged" } }]);
  });

  it("what is heard of it afterwards waits for a whole list", () => {
    const shard = established([member(1, { share: "none", host: "own.example.com" })]);
    shard.unsettle("east");
    drain(shard, purge(shard, "east"));
    expect(shard.podsOf("east", member(1, { share: "none", host: "own.example.com" }))).toEqual([]);
    expect(writes(shard.settle("east"))).toEqual(["upstream", "route"]);
  });

  it("a rebuilt cluster's new identity is written into upstreams only", () => {
    const shard = established();
    const said = shard.send({ type: "cluster", cluster: "west", uid: "uid-new" });
    const changes = said.flatMap((message) => ("changes" in message ? message.changes : []));
    expect(writes(changes)).toEqual(["upstream"]);
    drain(shard, changes);
    expect(standing(shard).upstream.labels).toMatchObject({ "translator/member.west": "uid-new" });
  });

  it("while it is out of sight, its old identity stays as it stands", () => {
    const shard = established();
    shard.unsettle("west");
    const said = shard.send({ type: "cluster", cluster: "west", uid: "uid-other" });
    expect(writes(said.flatMap((message) => ("changes" in message ? message.changes : [])))).toEqual([]);
  });
});
