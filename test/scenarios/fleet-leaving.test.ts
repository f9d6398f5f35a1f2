import { expect, it } from "vitest";
import { born, web } from "./pods.ts";
import { host, lose, nodes, notReady, start } from "./fleet-group.ts";

it("a cluster leaves the configuration: what shards had queued of it is not written any more, its part stands", async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  pipeline.controller.intake.take({
    ...{ type: "delete", cluster: "west", session: 1, kind: "pods", relist: false, at: 1 },
    key: { namespace: "shop", name: "p-2" },
  });
  pipeline.configure({ without: ["west"] });
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);
  notReady(pipeline, "east", 1);
  await pipeline.until("the others go on", () => pipeline.nodesOf(host)?.join() === nodes(2, 3).join());
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams"]);
  expect(pipeline.log.filter(({ message }) => message.includes("has left"))).toMatchObject([
    {
      level: "warn",
      fields: {
        cluster: "west",
        routes: 1,
        upstreams: 1,
        advice: expect.stringContaining("purge --cluster west"),
      },
    },
  ]);
  const parts = (await pipeline.explain(host)).filter(({ cluster }) => cluster === "west");
  expect(parts).toMatchObject([{ state: "Frozen", reason: expect.stringContaining("purge --cluster west") }]);
  pipeline.configure({});
  expect(pipeline.log.at(-1)).toMatchObject({
    ...{ message: "a cluster has come into the configuration", fields: { cluster: "west" } },
  });
});

it.each(["the leader", "an errand that watches nobody"])(
  "a purged cluster (by %s): its part of fleet groups and all that is its alone go, unguarded; others' stay",
  async (who) => {
    const pipeline = await start(["east", "west"], 30);
    pipeline.store("west").create("pods", web("own", "own.example.com"));
    pipeline.store("east").create("pods", web("other", "other.example.com"));
    await pipeline.until("all", () => pipeline.routes().length === 3);
    await pipeline.caughtUp();
    const { decisions } = pipeline.controller;
    expect(await decisions.purge("west")).toMatchObject({ ok: false, status: 409 });
    expect(await decisions.purge("north")).toMatchObject({ ok: false, status: 404 });
    if (who === "the leader") await lose(pipeline, "west");
    else await pipeline.restart({ without: ["west"] }, { watch: false });
    const from = pipeline.mark;
    await pipeline.until("it has been read", () => pipeline.controller.writer.isAtWork);
    expect(await pipeline.controller.decisions.purge("west")).toMatchObject({ ok: true, groups: 2, left: 0 });
    await pipeline.idle();
    expect(pipeline.nodesOf(host)).toEqual(nodes(1));
    expect(pipeline.namedSince(from).toSorted()).toEqual([
      "DELETE routes west/shop/own/web",
      "DELETE upstreams west/shop/own/web",
      "PUT upstreams shop/web",
    ]);
    await pipeline.restart({ without: ["west"] });
    await pipeline.reconciled();
    await pipeline.caughtUp(["east"]);
    expect(pipeline.writesSince(from + 3)).toEqual([]);
  },
);

it("in conflict, without a route, its upstream stays while a cluster with a part in it is out of sight", async () => {
  const pipeline = await start();
  const { store } = pipeline.gateway.admin;
  pipeline.store("west").create("pods", web("challenger", host, { ip: "10.0.0.9", created: born(1) }));
  const [upstream] = store.list("upstreams");
  pipeline.configure({ without: ["east"] });
  await pipeline.idle();
  pipeline.asStranger("DELETE", `routes/${upstream?.id}`);
  await pipeline.controller.audit.run();
  await pipeline.until("the other has the host", () => pipeline.nodesOf(host)?.join() === nodes(9).join());
  await pipeline.caughtUp(["west"]);
  expect(store.get("upstreams", upstream?.id ?? "")?.value["nodes"]).toEqual(upstream?.value["nodes"]);
  pipeline.configure({});
  await pipeline.until("all is seen", () => [...store.list("upstreams")].length === 1);
});

it("without a route, those that are seen set the settings; the part of who is out of sight stays (0020)", async () => {
  const pipeline = await start();
  const [id] = pipeline.gateway.admin.store.list("upstreams").map((upstream) => upstream.id);
  pipeline.configure({ without: ["east"] });
  await pipeline.idle();
  expect(pipeline.upstreamOf(host)).toMatchObject({ retries: 5 });
  pipeline.asStranger("DELETE", `routes/${id}`);
  await pipeline.controller.audit.run();
  await pipeline.until("the route stands again", () => pipeline.routes().length === 1);
  await pipeline.caughtUp(["west"]);
  expect(pipeline.upstreamOf(host)).toMatchObject({ retries: 1 });
  expect(pipeline.nodesOf(host)).toEqual(nodes(1, 2, 3));
});
