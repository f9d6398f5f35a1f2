import { expect, it } from "vitest";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const clusters = ["east", "west"].map((name) => ({ name, addressFamily: "IPv4", weight: 100 }) as const);
const declares = [{ name: "web", port: 8080, host: "shop.example.com", share: "fleet" }];
const inEast = pod({ declares });
const inWest = pod({ declares, name: "web-2", created: 1_000_002, ips: ["10.0.0.3"] });

it("invariant 2: a fleet group's upstream that was not there when it was read, and comes late, keeps the nodes of a lost cluster", () => {
  const shard = new ShardUnderTest({ clusters });
  shard.podsOf("east", inEast);
  shard.podsOf("west", inWest);
  const [first] = [...shard.settle("east"), ...shard.settle("west")].slice(-1);
  shard.write(first!);
  const { id } = first!;
  const { known, route } = shard.gateway.get(id)!;
  // Somebody deletes the upstream; what is sent over it is given up, and a look finds nothing.
  shard.podsOf("east", { ...inEast, ips: ["10.0.0.2"] });
  const sent = shard.body(id, "upstream")!;
  shard.unsettle("west");
  const { upstream: _deleted, ...rest } = known;
  shard.send({ type: "known", entries: [rest] });
  shard.gateway.set(id, { ...(route === undefined ? {} : { route }), known: rest });
  shard.answerNeeds();
  expect(shard.gone(inEast)).toMatchObject([{ stand: { type: "frozen", onlyLost: true } }]);
  expect(shard.body(id, "upstream")).toBeUndefined();
  // It is applied after all.
  const landed = { ...known, upstream: { digest: sent.digest } };
  shard.send({ type: "known", entries: [landed] });
  shard.gateway.set(id, { upstream: sent.body, ...(route === undefined ? {} : { route }), known: landed });
  shard.answerNeeds();
  expect(shard.body(id, "upstream")?.body["nodes"]).toMatchObject([{ host: "10.0.0.3" }]);
});
