import { expect, it } from "vitest";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { entry, many, web } from "./pods.ts";

const host = "a.example.com";

async function start(settings: object = {}): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east"], {
    ...{ settings, memoryShards: true },
    before: ({ fleet }) => void fleet.cluster("east").store.create("pods", web("a", host)),
  });
  await pipeline.reconciled();
  return pipeline;
}

const declare = (pipeline: Pipeline, routes: string | object[]): void =>
  void pipeline.store("east").patch("pods", "shop/a", (object) => withRoutes(object, routes));

it("A1 restart with 500 routes: no write, and none deleted before every cluster was listed", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters)
        for (const each of many(name, 250)) store.create("pods", each);
    },
  });
  await pipeline.reconciled();
  expect(pipeline.tally(0)).toEqual({ "PUT upstreams": 500, "PUT routes": 500 });
  await pipeline.stopController();
  const from = pipeline.mark;
  const { server } = pipeline.cluster("west");
  const mend = server.faults.onRequest({ resource: "pods" }, { type: "hang" });
  await pipeline.restart();
  await pipeline.until("east is judged", () => pipeline.controller.intake.sees("east", "pods"));
  await pipeline.caughtUp(["east"]);
  expect(pipeline.writesSince(from)).toEqual([]);
  mend();
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
});

it("A2 one bad declaration among 200: 199 routed, one Invalid with its field", async () => {
  const pipeline = await Pipeline.start(["east"], {
    before: ({ fleet }) => {
      for (const each of many("ok", 199)) fleet.cluster("east").store.create("pods", each);
      const routes = [entry("bad.example.com", { retries: 11 })];
      fleet.cluster("east").store.create("pods", web("bad", "bad.example.com", { routes }));
    },
  });
  await pipeline.reconciled();
  const { Routed, Invalid } = await pipeline.controller.observation.counts();
  expect({ Routed, Invalid }).toEqual({ Routed: 199, Invalid: 1 });
  const [bad] = await pipeline.explain("east/shop/pod/bad");
  expect(bad).toMatchObject({ state: "Invalid", reason: expect.stringContaining("retries") as string });
});

it("A3 a DELETE that is answered 404 is done", async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  await pipeline.controller.observation.audit();
  pipeline.forget(String(pipeline.routeOf(host)?.["id"]));
  declare(pipeline, "[]");
  await pipeline.caughtUp();
  expect(
    pipeline.writes.slice(from).map(({ method, resource, status }) => `${method} ${resource} ${status}`),
  ).toEqual(["DELETE routes 404", "DELETE upstreams 404"]);
  expect(await pipeline.explain("east/shop/pod/a")).toEqual([]);
});

it('A3 an upstream that "is still using it" is tried again until it is gone', async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  const upstream_id = String(pipeline.upstreamOf(host)?.["id"]);
  pipeline.asStranger("PUT", "routes/foreign", { uri: "/f", host: "f.example.com", upstream_id });
  declare(pipeline, "[]");
  const tries = (): number => pipeline.tally(from)["DELETE upstreams"] ?? 0;
  await pipeline.until("two tries", () => tries() >= 2);
  pipeline.asStranger("DELETE", "routes/foreign");
  await pipeline.until("it is gone", () => pipeline.upstreams().length === 0);
  expect(pipeline.tally(from)).toEqual({ "DELETE routes": 1, "DELETE upstreams": tries() });
});

it("A3 what of a stranger's uses an upstream that is to go is said in explain, in status and once in the log", async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  const id = String(pipeline.upstreamOf(host)?.["id"]);
  pipeline.asStranger("PUT", "routes/foreign", { uri: "/f", host: "f.example.com", upstream_id: id });
  declare(pipeline, "[]");
  await pipeline.until("two tries", () => (pipeline.tally(from)["DELETE upstreams"] ?? 0) >= 2);
  expect(await pipeline.explain("east/shop/pod/a")).toMatchObject([
    { state: "Leaving", reason: expect.stringMatching(/route \[\S*foreign\], which is not ours/) as string },
  ]);
  const usedByOthers = async (): Promise<unknown> =>
    (await pipeline.controller.observation.status()).usedByOthers;
  // In an APISIX of others a test's own ids have a prefix.
  expect(await usedByOthers()).toEqual([
    expect.stringMatching(new RegExp(`^${id} by route \\[\\S*foreign\\]$`)),
  ]);
  const said = pipeline.log.filter(({ fields }) => fields["usedBy"] !== undefined);
  const usedBy = expect.stringMatching(/^route \[\S*foreign\]$/) as string;
  expect(said).toMatchObject([{ level: "warn", fields: { id, usedBy } }]);

  pipeline.asStranger("DELETE", "routes/foreign");
  await pipeline.until("it is gone", () => pipeline.upstreams().length === 0);
  await pipeline.caughtUp();
  expect(await usedByOthers()).toEqual([]);
});

it("A4 a route PUT that is answered 400 because etcd is down is tried again, not Rejected", async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  pipeline.gateway.admin.faults.setEtcd("down");
  declare(pipeline, [entry(host, { uri: "/new" })]);
  await pipeline.until("a 400", () => pipeline.writes.slice(from).some(({ status }) => status === 400));
  expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Pending"]);
  pipeline.gateway.admin.faults.setEtcd("up");
  await pipeline.until("the new uri", () => pipeline.pairs()[0] === `${host} /new`);
  expect(pipeline.log.map(({ message }) => message)).not.toContain("APISIX refused what is declared");
  expect(pipeline.writes.slice(from).filter(({ status }) => status < 300)).toHaveLength(1);
});

it("A5 a PUT whose answer was lost is repeated as it was: one object, no loop", async () => {
  const pipeline = await start();
  const from = pipeline.mark;
  pipeline.gateway.admin.faults.add({
    ...{ fault: { kind: "reset", when: "after" }, methods: ["PUT"], times: 1 },
    resource: "routes",
  });
  declare(pipeline, [entry(host, { priority: 5 })]);
  await pipeline.until("a second try", () => pipeline.mark === from + 2);
  await pipeline.caughtUp();
  const [first, second, ...more] = pipeline.writes.slice(from);
  expect(second?.body).toEqual(first?.body);
  expect(more).toEqual([]);
  expect(pipeline.routes()).toHaveLength(1);
  expect(pipeline.routeOf(host)?.["priority"]).toBe(5);
});

it("a body that APISIX refuses is Rejected, what it accepted last stands, and the others go on", async () => {
  const pipeline = await start({ policy: { plugins: ["redirect"] } });
  const from = pipeline.mark;
  declare(pipeline, [entry(host, { priority: 9, plugins: { redirect: {} } })]);
  pipeline.store("east").create("pods", web("b", "b.example.com"));
  await pipeline.until("b", () => pipeline.routeOf("b.example.com") !== undefined);
  await pipeline.until("a refusal", () => pipeline.writes.slice(from).some(({ status }) => status === 400));
  await pipeline.caughtUp();
  expect(await pipeline.statesOf("east/shop/pod/a")).toEqual(["Rejected"]);
  expect(pipeline.routeOf(host)?.["priority"]).toBe(0);
  expect(pipeline.tally(from)).toEqual({ "PUT routes": 2, "PUT upstreams": 1 });
  declare(pipeline, [entry(host, { priority: 8 })]);
  await pipeline.until("mended", () => pipeline.routeOf(host)?.["priority"] === 8);
});

it.each([
  ["cut off cleanly", { kind: "body", keep: 0.5, ending: "end" }],
  ["cut off by a reset", { kind: "body", keep: 0.7, ending: "reset" }],
  ["a list of other types", { kind: "wrong-types", what: "list-missing" }],
  ["an item of another type", { kind: "wrong-types", what: "value-string" }],
  [
    "HTML",
    {
      kind: "reply",
      reply: { status: 200, headers: { "content-type": "text/html" }, body: "<html></html>" },
    },
  ],
] as const)(
  "A10 an Admin list that is %s aborts the reconcile: no deletes, no storm of creates",
  async (_, fault) => {
    const pipeline = await Pipeline.start(["east"], {
      before: ({ fleet }) => {
        for (const each of many("web", 20)) fleet.cluster("east").store.create("pods", each);
      },
      speed: 20,
      memoryShards: true,
    });
    await pipeline.reconciled();
    await pipeline.stopController();
    pipeline.store("east").remove("pods", "shop/web-0");
    const from = pipeline.mark;
    const lists = (): number =>
      pipeline.journal.exchanges.filter(({ path }) => path === "/apisix/admin/routes").length;
    const mend = pipeline.gateway.admin.faults.add({ fault, methods: ["GET"], resource: "routes" });
    const before = lists();
    await pipeline.restart();
    await pipeline.until("it says so", () =>
      pipeline.log.some(({ message }) => message.startsWith("APISIX could not")),
    );
    if (fault.kind !== "reply") await pipeline.until("several lists", () => lists() >= before + 3);
    expect(pipeline.controller.observation.ready()).toMatchObject({ ready: false });
    expect(pipeline.writesSince(from)).toEqual([]);
    mend();
    await pipeline.until("web-0 is deleted", () => pipeline.upstreams().length === 19);
    await pipeline.caughtUp();
    expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 1, "DELETE routes": 1, "DELETE upstreams": 1 });
    pipeline.gateway.admin.faults.add({ fault, methods: ["GET"], resource: "routes", times: 1 });
    expect(await pipeline.controller.observation.audit()).toMatchObject({ ok: false, drifted: 0 });
    expect(pipeline.mark).toBe(from + 3);
  },
);
