import { expect, it } from "vitest";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const declares = (port: number, more = {}) => [{ name: "web", port, host: "shop.example.com", ...more }];

it("settings whose acknowledgement came while the group was another are the accepted ones all the same", () => {
  const shard = new ShardUnderTest();
  shard.pods(pod({ declares: declares(8080) }));
  const [change] = shard.settle();
  shard.write(change!);
  const { id, identity } = change!;
  shard.pods(pod({ declares: declares(9090) }));
  const { digest } = shard.body(id, "upstream")!;
  // On the way: it changes, and changes back before what stands is asked for again.
  shard.pods(pod({ declares: declares(9090), ready: false }));
  const { route } = shard.gateway.get(id)!.known;
  shard.send({ type: "known", entries: [{ id, identity, upstream: { digest }, route: route! }] });
  shard.pods(pod({ declares: declares(9090) }));
  expect(shard.body(id, "upstream")).toBeUndefined();
  shard.pods(pod({ declares: declares(9090, { hots: "a typo" }) }));
  expect(shard.body(id, "upstream")).toBeUndefined();
  shard.pods(pod({ declares: declares(9090, { hots: "a typo" }), ready: false }));
  expect(shard.body(id, "upstream")?.body).toMatchObject({
    nodes: [],
    labels: { "translator/select": "9090,endpoint,ready" },
  });
});

it("settings whose write had no answer, and was not applied, are not the accepted ones, once nobody declares any that can be read", () => {
  const shard = new ShardUnderTest();
  shard.pods(pod({ declares: declares(8080) }));
  const [change] = shard.settle();
  shard.write(change!);
  const { id } = change!;
  const { known } = shard.gateway.get(id)!;
  shard.pods(pod({ declares: declares(9090) }));
  expect(shard.body(id, "upstream")).toBeDefined();
  shard.send({ type: "known", entries: [{ ...known, upstream: { digest: "" } }] });
  const typo = declares(9090, { hots: "a typo" });
  shard.pods(pod({ declares: typo }));
  shard.send({ type: "known", entries: [known] });
  expect(shard.body(id, "upstream")).toBeUndefined();
  shard.send({ type: "known", entries: [known] });
  shard.answerNeeds();
  shard.pods(pod({ declares: typo, ready: false }));
  expect(shard.body(id, "upstream")?.body).toMatchObject({
    labels: { "translator/select": "8080,endpoint,ready" },
  });
});
