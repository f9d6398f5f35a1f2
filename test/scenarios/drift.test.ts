import { expect, it } from "vitest";
import { gatewaySource } from "../pipeline/gateway-source.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, web } from "./pods.ts";

const host = "a.example.com";
const foreign = { uri: "/*", host, upstream: { type: "roundrobin", nodes: { "192.0.2.1:80": 1 } } };

async function start(before: (pipeline: Pipeline) => void = () => {}): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: (starting) => {
      before(starting);
      starting.store("east").create("pods", web("a", host));
    },
  });
  await pipeline.reconciled();
  return pipeline;
}

const audit = (pipeline: Pipeline): Promise<unknown> => pipeline.controller.observation.audit();
const idOf = (pipeline: Pipeline): string => String(pipeline.routeOf(host)?.["id"]);

/** What stands, as a human would send it back. */
function body(pipeline: Pipeline, collection: string, id: string): Record<string, unknown> {
  const {
    id: _,
    create_time: __,
    update_time: ___,
    ...rest
  } = pipeline.gateway.admin.store.get(collection, id)?.value ?? {};
  return rest;
}

async function repaired(pipeline: Pipeline, resource: string): Promise<string | undefined> {
  const text = await pipeline.controller.observation.metrics();
  return new RegExp(`drift_repaired_total\\{resource="${resource}"\\} (\\d+)`).exec(text)?.[1];
}

it("A7 a human's edit of a route and of an upstream is restored by the audit and counted", async () => {
  const pipeline = await start();
  const id = idOf(pipeline);
  const stood = [body(pipeline, "routes", id), body(pipeline, "upstreams", id)];
  pipeline.asStranger("PUT", `routes/${id}`, { ...stood[0], priority: 99 });
  pipeline.asStranger("PUT", `upstreams/${id}`, { ...stood[1], retries: 7, nodes: [] });
  const from = pipeline.mark;
  expect(await audit(pipeline)).toEqual({ ok: true, drifted: 1 });
  await pipeline.until("both", () => pipeline.mark === from + 2);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from).toSorted()).toEqual(["PUT routes", "PUT upstreams"]);
  expect([body(pipeline, "routes", id), body(pipeline, "upstreams", id)]).toEqual(stood);
  expect(await repaired(pipeline, "route")).toBe("1");
  expect(await repaired(pipeline, "upstream")).toBe("1");
  expect(await audit(pipeline)).toEqual({ ok: true, drifted: 0 });
  expect(pipeline.mark).toBe(from + 2);
});

it.each([
  ["routes", "another"],
  ["routes", undefined],
  ["upstreams", "another"],
])(
  "A7 the digest label alone of our %s is edited (%s): restored by the audit, once",
  async (what, digest) => {
    const pipeline = await start();
    const id = idOf(pipeline);
    const stood = body(pipeline, what, id);
    const labels = { ...(stood["labels"] as object), "translator/digest": digest };
    pipeline.asStranger("PUT", `${what}/${id}`, { ...stood, labels });
    const from = pipeline.mark;
    expect(await audit(pipeline)).toEqual({ ok: true, drifted: 1 });
    await pipeline.until("restored", () => pipeline.mark === from + 1);
    await pipeline.caughtUp();
    expect(body(pipeline, what, id)).toEqual(stood);
    expect(await audit(pipeline)).toEqual({ ok: true, drifted: 0 });
    expect(pipeline.writesSince(from)).toEqual([`PUT ${what}`]);
  },
);

it.each([
  ["route", ["PUT routes"]],
  ["upstream", ["PUT upstreams"]],
  ["both", ["PUT upstreams", "PUT routes"]],
])("A7 somebody deletes our %s: restored by the audit, the upstream first", async (what, expected) => {
  const pipeline = await start();
  const id = idOf(pipeline);
  if (what !== "upstream") pipeline.asStranger("DELETE", `routes/${id}`);
  if (what !== "route") pipeline.asStranger("DELETE", `upstreams/${id}?force=true`);
  const from = pipeline.mark;
  expect(await audit(pipeline)).toEqual({ ok: true, drifted: 1 });
  await pipeline.until("restored", () => pipeline.nodesOf(host)?.length === 1);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(expected);
  expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Routed"]);
});

it("A6 a foreign route with our host and uri: Conflict, foreign untouched; once it is gone ours comes", async () => {
  const pipeline = await start();
  pipeline.asStranger("PUT", "routes/foreign", { ...foreign, host: "b.example.com" });
  await audit(pipeline);
  pipeline.store("east").create("pods", web("b", "b.example.com"));
  await pipeline.caughtUp();
  const [b] = await pipeline.explain("east/shop/pod/b");
  expect(b).toMatchObject({ state: "Conflict", reason: expect.stringContaining("foreign") as string });
  pipeline.asStranger("DELETE", "routes/foreign");
  await audit(pipeline);
  await pipeline.until("ours", () => pipeline.holderOf("b.example.com") === "east/shop/b/web");
  expect(pipeline.tally(0)).toEqual({ "PUT upstreams": 2, "PUT routes": 2 });
});

it("a foreign route that gets its hosts from a service holds them; one that is switched off holds nothing", async () => {
  const pipeline = await start((starting) => {
    starting.asStranger("PUT", "services/s", { hosts: [host], upstream: foreign.upstream });
    starting.asStranger("PUT", "routes/by-service", { uri: "/*", service_id: "s" });
    starting.asStranger("PUT", "routes/off", { ...foreign, host: "off.example.com", status: 0 });
    starting.store("east").create("pods", web("off", "off.example.com"));
  });
  expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Conflict"]);
  expect(await pipeline.statesOf("east/shop/pod/off")).toEqual(["Routed"]);
  expect(pipeline.tally(0)).toEqual({ "PUT upstreams": 1, "PUT routes": 1 });
});

it("a foreign route that is younger is reported and ours stays; one that is older has ours step back", async () => {
  const pipeline = await start((starting) =>
    starting.asStranger("PUT", "routes/older", { ...foreign, host: "x.example.com" }),
  );
  const from = pipeline.mark;
  pipeline.asStranger("PUT", "routes/younger", foreign);
  await audit(pipeline);
  await pipeline.caughtUp();
  const [reported] = await pipeline.explain("east/shop/pod/a");
  expect(reported).toMatchObject({ state: "Routed", reason: expect.stringContaining("younger") as string });
  expect(pipeline.writesSince(from)).toEqual([]);

  pipeline.asStranger("PUT", "routes/older", foreign);
  await audit(pipeline);
  await pipeline.until("ours has gone", () => pipeline.upstreams().length === 0);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(["DELETE routes", "DELETE upstreams"]);
  expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Conflict"]);
});

it.each(["approved", "gone"])(
  "an older foreign route on our pair is held by the guard, and then %s",
  async (how) => {
    const pipeline = await start((starting) =>
      starting.asStranger("PUT", "routes/older", { ...foreign, host: "x.example.com" }),
    );
    await pipeline.restart({ guard: { maxDeletes: 0, maxDeleteRatio: 0 } });
    await pipeline.reconciled();
    const from = pipeline.mark;
    pipeline.asStranger("PUT", "routes/older", foreign);
    await audit(pipeline);
    const held = (): number => pipeline.controller.writer.guard.status().held;
    await pipeline.until("it is held", () => held() === 1);
    await pipeline.caughtUp();
    expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Frozen"]);
    expect(pipeline.writesSince(from)).toEqual([]);
    if (how === "approved") {
      const { guard } = await pipeline.controller.observation.status();
      expect(pipeline.controller.observation.approve(guard.batch ?? "")).toBe(1);
      await pipeline.until("ours has gone", () => pipeline.upstreams().length === 0);
      expect(pipeline.writesSince(from)).toEqual(["DELETE routes", "DELETE upstreams"]);
      expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Conflict"]);
    } else {
      pipeline.asStranger("DELETE", "routes/older");
      await audit(pipeline);
      await pipeline.caughtUp();
      expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Routed"]);
      expect(pipeline.writesSince(from)).toEqual([]);
    }
    expect(held()).toBe(0);
  },
);

it.each(["routes", "upstreams"])(
  "a foreign object among %s on our id is never touched",
  async (collection) => {
    const pipeline = await start();
    const id = idOf(pipeline);
    await pipeline.stopController();
    pipeline.forget(id);
    const { upstream } = foreign;
    pipeline.asStranger(
      "PUT",
      `${collection}/${id}`,
      collection === "routes" ? { ...foreign, host: "x.example.com" } : upstream,
    );
    const from = pipeline.mark;
    await pipeline.restart();
    await pipeline.reconciled();
    await pipeline.caughtUp();
    expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Conflict"]);
    expect(pipeline.writesSince(from)).toEqual([]);
    pipeline.store("east").remove("pods", "shop/a");
    await pipeline.caughtUp();
    expect(pipeline.writesSince(from)).toEqual([]);
  },
);

it("A6 an edited label takes an object out of our hands, also out of those of a removal", async () => {
  const pipeline = await start();
  const id = idOf(pipeline);
  const stood = body(pipeline, "routes", id);
  pipeline.asStranger("PUT", `routes/${id}`, { ...stood, labels: { "managed-by": "somebody" } });
  const from = pipeline.mark;
  await audit(pipeline);
  await pipeline.caughtUp();
  expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Conflict"]);
  pipeline.store("east").remove("pods", "shop/a");
  await pipeline.caughtUp();
  expect(pipeline.gateway.admin.store.get("routes", id)?.value["labels"]).toEqual({
    "managed-by": "somebody",
  });
  expect(pipeline.writes.slice(from).filter(({ resource }) => resource === "routes")).toEqual([]);
});

it("a foreign route on a host whose Pods compete: none of them is written, whatever their age", async () => {
  const pipeline = await start((starting) => {
    starting.asStranger("PUT", "routes/foreign", foreign);
    starting.store("east").create("pods", web("older", host, { created: born(0) }));
  });
  await pipeline.caughtUp();
  expect((await pipeline.statesOf(host)).toSorted()).toEqual(["Conflict", "Conflict"]);
  expect(pipeline.writesSince(0)).toEqual([]);
});

it("forged labels: reported in the log and in /status, never deleted, whatever becomes of our own", async () => {
  const pipeline = await start();
  const id = idOf(pipeline);
  const stolen = body(pipeline, "routes", id);
  pipeline.asStranger("PUT", "routes/stolen", { ...stolen, hosts: ["stolen.example.com"] });
  await audit(pipeline);
  await audit(pipeline);
  const forged = [`route ${gatewaySource().mark}stolen`];
  expect(await pipeline.controller.observation.status()).toMatchObject({ forged });
  const said = pipeline.log.filter(({ message }) => message.includes("ownership labels"));
  expect(said.map(({ fields }) => fields["objects"])).toEqual([forged]);
  pipeline.store("east").remove("pods", "shop/a");
  await pipeline.until("ours is gone", () => pipeline.routeOf(host) === undefined);
  await audit(pipeline);
  expect(pipeline.gateway.admin.store.get("routes", "stolen")?.value["hosts"]).toEqual([
    "stolen.example.com",
  ]);
});
