import { expect, it } from "vitest";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import type { AdminFault } from "../../src/sim/admin/admin-faults.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { many, web } from "./pods.ts";

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
