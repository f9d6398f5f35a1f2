import { expect, it } from "vitest";
import type { PodProjection } from "../../src/store/projection.ts";
import type { Change } from "../../src/shard/change.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

/** What an object has in a group of which nothing stands is what a shard that starts anew would give it. */

const web = [{ name: "web", port: 8080, host: "shop.example.com" }];
const one = pod({ name: "web-1", uid: "1", controller: "ReplicaSet", ips: ["10.0.0.1"], declares: web });
const two = pod({ name: "web-2", uid: "2", controller: "ReplicaSet", ips: ["10.0.0.2"], declares: web });

const edits: readonly (readonly [string, Partial<PodProjection>])[] = [
  ["cannot be read", { routes: "{" }],
  ["names no route", { routes: JSON.stringify([{ ...web[0], name: 7 }]) }],
  ["is paused", { paused: true }],
];

/** Nodes of the upstream that is written now, after all that was said. */
function written(shard: ShardUnderTest, said: readonly Change[]): unknown {
  const change = [...said, ...shard.answerNeeds()].findLast(({ identity }) => identity.route === "web");
  return change && shard.write(change).upstream?.["nodes"];
}

it.each(edits)(
  "an object that was a member of a group of which nothing ever stood, and %s now, has no nodes in it: as for a new leader",
  (_, edit) => {
    const pods = [{ ...one, ...edit }, two];
    const running = new ShardUnderTest();
    running.pods(one, two);
    const said = [...running.settle(), ...running.pods(...pods)];
    const next = new ShardUnderTest();
    next.pods(...pods);
    const metadata = { cluster: "east", name: "web-2" };
    const expected = [{ host: "10.0.0.2", port: 8080, weight: 100, metadata }];
    expect(written(next, next.settle())).toEqual(expected);
    expect(written(running, said)).toEqual(expected);
  },
);

it("it keeps its place where what is on its way may come to stand, and has it once that stands", () => {
  const shard = new ShardUnderTest();
  shard.pods(one);
  const [change] = shard.settle();
  if (change?.stand.type !== "live") throw new Error("it is declared");
  const body = shard.body(change.id, "upstream");
  shard.pods({ ...one, routes: "{" });
  shard.pods({ ...one, routes: "{{" });
  const known = { id: change.id, identity: change.identity, upstream: { digest: body?.digest ?? "" } };
  shard.gateway.set(change.id, { upstream: body?.body ?? {}, known });
  const said = shard.send({ type: "known", entries: [known] });
  const changes = [
    ...said.flatMap((one) => (one.type === "changes" ? one.changes : [])),
    ...shard.answerNeeds(),
  ];
  expect(changes.at(-1)).toMatchObject({ identity: { route: "web" }, stand: { type: "frozen", nodes: 1 } });
});

it("what is paused keeps the nodes it gave while a write that had no answer may still be applied, and no longer", () => {
  const shard = new ShardUnderTest();
  shard.pods(one, two);
  const [change] = shard.settle();
  if (change?.stand.type !== "live") throw new Error("it is declared");
  const { id, identity } = change;
  shard.body(id, "upstream");
  shard.pods({ ...one, paused: true });
  const told = (known: object): unknown => {
    shard.send({ type: "known", entries: [{ id, identity, ...known }] });
    return shard.body(id, "upstream")?.body["nodes"];
  };
  const [first, second] = ["1", "2"].map((each) => {
    const metadata = { cluster: "east", name: `web-${each}` };
    return { host: `10.0.0.${each}`, port: 8080, weight: 100, metadata };
  });
  shard.send({ type: "known", entries: [{ id, identity, upstream: { digest: "" } }] });
  expect(told({ mayCome: true })).toEqual([first, second]);
  shard.send({ type: "known", entries: [{ id, identity, upstream: { digest: "" } }] });
  expect(told({})).toEqual([second]);
});
