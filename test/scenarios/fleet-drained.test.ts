import { expect, it } from "vitest";
import { web } from "./pods.ts";
import { host, lose, nodes, start } from "./fleet-group.ts";

it("a drained cluster: upstream writes only, unguarded, whether it is seen or not; undone likewise", async () => {
  const pipeline = await start(["east", "west"], 30);
  const from = pipeline.mark;
  const weigh = (weight: number): void => pipeline.configure({ clusters: { west: { weight } } });
  weigh(0);
  await pipeline.until("drained", () => pipeline.nodesOf(host)?.join() === nodes(1).join());
  const drained = (await pipeline.explain(host)).filter(({ cluster }) => cluster === "west");
  expect(drained).toHaveLength(2);
  for (const { reason } of drained) expect(reason).toContain("clusters[].weight of west is 0");
  weigh(7);
  await pipeline.until("undone", () => pipeline.nodesOf(host)?.length === 3);
  await lose(pipeline, "west");
  weigh(0);
  await pipeline.until("drained again", () => pipeline.nodesOf(host)?.join() === nodes(1).join());
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams", "PUT upstreams"]);
});

it.each(["is lost meanwhile", "was never seen in this term"])(
  "a drained cluster that %s: groups that are its alone are emptied too, in upstream writes; seen again they are filled",
  async (how) => {
    const pipeline = await start(["east", "west"], 30);
    pipeline.store("west").create("pods", web("own", "own.example.com"));
    pipeline.store("east").create("pods", web("other", "other.example.com"));
    await pipeline.until("all", () => pipeline.nodesOf("own.example.com")?.length === 1);
    await pipeline.caughtUp();
    if (how === "is lost meanwhile") await lose(pipeline, "west");
    else {
      await pipeline.stopController();
      await pipeline.cluster("west").server.stop();
      await pipeline.restart();
      await pipeline.reconciled();
    }
    const from = pipeline.mark;
    pipeline.configure({ clusters: { west: { weight: 0 } } });
    await pipeline.until("drained", () => pipeline.nodesOf("own.example.com")?.length === 0);
    await pipeline.until("the part too", () => pipeline.nodesOf(host)?.join() === nodes(1).join());
    await pipeline.idle();
    expect(pipeline.namedSince(from).toSorted()).toEqual([
      "PUT upstreams shop/web",
      "PUT upstreams west/shop/own/web",
    ]);
    pipeline.configure({});
    await pipeline.until("the part is back", () => pipeline.nodesOf(host)?.length === 3);
    await pipeline.idle();
    expect(pipeline.nodesOf("own.example.com")).toEqual([]);
    await pipeline.cluster("west").server.start();
    await pipeline.until("filled", () => pipeline.nodesOf("own.example.com")?.length === 1);
    await pipeline.caughtUp();
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 4 });
  },
);
