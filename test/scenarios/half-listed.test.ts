import { expect, it } from "vitest";
import { statusFault } from "../../src/sim/kubernetes/faults.ts";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { entry, web } from "./pods.ts";

const host = "web.example.com";
const replica = (name: string, ip: string) => web(name, "", { owner: "set", ip, routes: [entry(host)] });

it("what the first pages of a relist take out of a group is not gone before the last, which may hold others of it", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      const { store, server } = fleet.cluster("east");
      server.faults.watchList = false;
      const labels = { "apisix-translator.io/enabled": "true" };
      for (let index = 0; index < 1010; index++)
        store.create("pods", pod({ namespace: "shop", name: `idle-${index}`, labels }));
      store.create("pods", replica("a-first", "10.0.0.1"));
    },
  });
  await pipeline.reconciled();
  const { server, store } = pipeline.cluster("east");
  await server.traffic.whenWatching("pods");
  const from = pipeline.mark;
  const away = server.faults.onRequest({ resource: "pods" }, statusFault(503));
  for (const watch of server.traffic.openWatches()) watch.cut();
  store.patch("pods", "shop/a-first", (object) => withRoutes(object, []));
  store.create("pods", replica("z-last", "10.0.0.2"));
  store.compact();
  const page = server.faults.onRequest({ resource: "pods", page: 3 }, statusFault(500));
  away();
  const thirdPages = (): number =>
    server.traffic.requests.filter(({ path }) => path.includes("continue=")).length;
  const before = thirdPages();
  await pipeline.until("a list that fails on page 3", () => thirdPages() >= before + 2);
  await pipeline.idle();
  page();
  await pipeline.until("the other one", () => pipeline.nodesOf(host)?.join() === "10.0.0.2:8080");
  await pipeline.caughtUp();
  expect(pipeline.tally(from)).toEqual({ "PUT upstreams": 1 });
});
