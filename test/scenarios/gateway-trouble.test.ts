import { expect, it } from "vitest";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import type { AdminFault } from "../../src/sim/admin/admin-faults.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, many, web } from "./pods.ts";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";

const html = { status: 200, headers: { "content-type": "text/html" }, body: "<html>hello</html>" };
const moved = { status: 302, headers: { location: "https://elsewhere.example.com/" }, body: "" };

it.each<readonly [string, AdminFault, string]>([
  ["cannot be reached", { kind: "reset", when: "before" }, "APISIX"],
  ["answers HTML", { kind: "reply", reply: html }, "JSON"],
  ["redirects", { kind: "reply", reply: moved }, "302"],
  ["refuses the key", { kind: "wrong-key" }, "401"],
])(
  "APISIX %s at the start: waits, says so, is not ready, writes nothing; then reconciles",
  async (_, fault, said) => {
    let mend = (): void => {};
    const pipeline = await Pipeline.start(["east"], {
      before: ({ fleet, gateway }) => {
        for (const each of many("web", 5)) fleet.cluster("east").store.create("pods", each);
        mend = gateway.admin.faults.add({ fault });
      },
      speed: 10,
      memoryShards: true,
    });
    await pipeline.until("it says so", () => pipeline.log.some(({ level }) => level === "warn"));
    const [warning] = pipeline.log.filter(({ level }) => level === "warn");
    expect(JSON.stringify(warning)).toContain(said);
    expect(warning?.fields["advice"]).toContain("nothing is written");
    await pipeline.until(
      "the cluster is listed",
      () => pipeline.controller.store.count("east", "pods") === 5,
    );
    expect(pipeline.controller.observation.ready()).toMatchObject({
      ready: false,
      waitingFor: expect.arrayContaining(["APISIX has not been read as a whole"]) as string[],
    });
    mend();
    await pipeline.reconciled();
    await pipeline.caughtUp();
    expect(pipeline.tally(0)).toEqual({ "PUT upstreams": 5, "PUT routes": 5 });
    expect(pipeline.controller.observation.ready()).toMatchObject({ ready: true, waitingFor: [] });
    expect(pipeline.log.filter(({ message }) => message === "APISIX can be read again")).toHaveLength(1);
  },
);

const outages: readonly (readonly [string, AdminFault | "etcd"])[] = [
  ["etcd is down", "etcd"],
  ["connections are refused", { kind: "reset", when: "before" }],
  ["a proxy answers HTML", { kind: "reply", reply: html }],
];

it.each(outages)(
  "APISIX goes down under churn (%s) and returns: the newest state is written once",
  async (_, fault) => {
    const pipeline = await Pipeline.start(["east"], {
      before: ({ fleet }) => {
        for (const each of many("web", 20)) fleet.cluster("east").store.create("pods", each);
      },
      speed: 4,
      memoryShards: true,
      settings: { throttle: { deleteGrace: "1h" } },
    });
    await pipeline.reconciled();
    const { faults } = pipeline.gateway.admin;
    const store = pipeline.store("east");
    const flip = (index: number, ready: boolean): void =>
      void store.patch("pods", `shop/web-${index}`, (object) => withReady(object, ready));
    const mend = fault === "etcd" ? () => faults.setEtcd("up") : faults.add({ fault });
    if (fault === "etcd") faults.setEtcd("down");
    const from = pipeline.mark;
    for (let index = 0; index < 10; index++) flip(index, false);
    await pipeline.until("the breaker opens", () => pipeline.controller.writer.breaker.state === "down");
    for (let round = 0; round < 5; round++)
      for (let index = 0; index < 10; index++) flip(index, round % 2 === 0);
    for (let index = 0; index < 5; index++) flip(index, false);
    store.create("pods", web("new", "new.example.com"));
    store.remove("pods", "shop/web-19");
    await pipeline.heard();
    expect(pipeline.writes.slice(from).filter(({ changes }) => changes.length > 0)).toEqual([]);
    expect(pipeline.controller.observation.ready().ready).toBe(true);
    mend();
    await pipeline.until("all are right", () => {
      const nodes = Array.from(
        { length: 10 },
        (__, index) => pipeline.nodesOf(`web-${index}.example.com`)?.length,
      );
      return nodes.join("") === "0000011111" && pipeline.routeOf("new.example.com") !== undefined;
    });
    await pipeline.until("web-19 is empty", () => pipeline.nodesOf("web-19.example.com")?.length === 0);
    await pipeline.caughtUp();
    const applied = pipeline.writes.slice(from).filter(({ changes }) => changes.length > 0);
    const routes = applied.filter(({ resource }) => resource === "routes").map(({ method }) => method);
    expect(routes).toEqual(["PUT"]);
    const puts = applied.filter(({ method, resource }) => method === "PUT" && resource === "upstreams");
    const ids = puts.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    // A try that was cut off may have been applied: it is repeated whatever the newest state is. A clear refusal is not.
    expect(ids.length).toBeGreaterThanOrEqual(7);
    expect(ids.length).toBeLessThanOrEqual(fault === "etcd" ? 7 : 12);
  },
);

/** So fast that the 10 s of normal answers before an uncertain id is read back are 0.4 s, twice the time of a request. */
async function startQuick(): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east"], {
    speed: 25,
    memoryShards: true,
    settings: { gateway: { timeout: "200ms" } },
    before: ({ fleet }) => void fleet.cluster("east").store.create("pods", web("a", "a.example.com")),
  });
  await pipeline.reconciled(1);
  return pipeline;
}

const reads = (pipeline: Pipeline, from: number): number =>
  pipeline.journal.exchanges
    .slice(from)
    .filter(({ method, path }) => method === "GET" && path.includes("/t-")).length;

const isCertain = (pipeline: Pipeline): Promise<void> =>
  pipeline.until("everything is certain", () => pipeline.controller.writer.retries.uncertain === 0);

it("a PUT that was given up and applied later than its repeat is read back, and the newest state is restored", async () => {
  const pipeline = await startQuick();
  const store = pipeline.store("east");
  const { faults } = pipeline.gateway.admin;
  const looked = pipeline.journal.exchanges.length;
  // Applied after it was given up and after the write that follows.
  faults.add({
    fault: { kind: "delay", ms: 350, when: "before" },
    methods: ["PUT"],
    resource: "upstreams",
    times: 1,
  });
  store.patch("pods", "shop/a", (object) => withReady(object, false));
  await pipeline.until("it is given up", () => pipeline.controller.writer.retries.uncertain === 1);
  store.patch("pods", "shop/a", (object) => withReady(object, true));
  await pipeline.until("the late one is applied", () =>
    pipeline.writes.some(({ arrivedAt, at }) => at - arrivedAt > 300),
  );
  await isCertain(pipeline);
  await pipeline.until("the newest state", () => pipeline.nodesOf("a.example.com")?.length === 1);
  await pipeline.caughtUp();
  expect(pipeline.nodesOf("a.example.com")).toHaveLength(1);
  expect(reads(pipeline, looked)).toBeGreaterThanOrEqual(2);
});

it("while it is uncertain on which pairs a route stands, nobody else gets any of them", async () => {
  const pipeline = await startQuick();
  const store = pipeline.store("east");
  const { faults } = pipeline.gateway.admin;
  faults.add({
    fault: { kind: "delay", ms: 350, when: "before" },
    methods: ["PUT"],
    resource: "routes",
    times: 1,
  });
  store.patch("pods", "shop/a", (object) => withRoutes(object, [entry("new.example.com")]));
  await pipeline.until("it is given up", () => pipeline.controller.writer.retries.uncertain === 1);
  store.create("pods", web("thief", "new.example.com", { created: born(0) }));
  store.create("pods", web("heir", "a.example.com"));
  store.patch("pods", "shop/a", (object) => withRoutes(object, [entry("third.example.com")]));
  await isCertain(pipeline);
  await pipeline.until("all three", () => pipeline.routes().length === 3);
  await pipeline.caughtUp();
  expect(pipeline.holderOf("third.example.com")).toBe("east/shop/a/web");
  expect(pipeline.holderOf("new.example.com")).toBe("east/shop/thief/web");
  expect(pipeline.holderOf("a.example.com")).toBe("east/shop/heir/web");
});

it("a PUT that was applied although its answer was lost costs one repeat, a read back, and nothing more", async () => {
  const pipeline = await startQuick();
  const { faults } = pipeline.gateway.admin;
  const from = pipeline.mark;
  faults.add({ fault: { kind: "reset", when: "after" }, methods: ["PUT"], resource: "upstreams", times: 1 });
  pipeline.store("east").patch("pods", "shop/a", (object) => withReady(object, false));
  await pipeline.until("the repeat", () => pipeline.mark === from + 2);
  await isCertain(pipeline);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);
});

it("a DELETE whose answer was lost is repeated until nothing stands", async () => {
  const pipeline = await startQuick();
  const { faults } = pipeline.gateway.admin;
  const from = pipeline.mark;
  faults.add({ fault: { kind: "reset", when: "after" }, methods: ["DELETE"], resource: "routes", times: 1 });
  pipeline.store("east").remove("pods", "shop/a");
  await pipeline.until("nothing stands", () => pipeline.upstreams().length === 0);
  await isCertain(pipeline);
  await pipeline.caughtUp();
  expect(await pipeline.explain("east/shop/pod/a")).toEqual([]);
  const { "DELETE routes": deletes = 0, ...others } = pipeline.tally(from);
  expect(deletes).toBeLessThanOrEqual(2);
  expect(others).toEqual({ "PUT upstreams": 1, "DELETE upstreams": 1 });
});
