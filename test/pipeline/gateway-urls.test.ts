import { expect, it } from "vitest";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "./pipeline.ts";
import { TcpProxy } from "./tcp-proxy.ts";

const declared = (index: number) =>
  pod({
    ...{ namespace: "shop", name: `web-${index}`, ip: `10.0.0.${index}` },
    routes: [{ name: "web", port: 8080, host: `h${index}.example.com` }],
  });

/** A translator with two URLs of the one Admin API. */
async function started(speed = 1, timeout = "10s") {
  const pipeline = await Pipeline.start(["east"], { memoryShards: true, speed });
  const first = await TcpProxy.start(pipeline.gateway.port);
  const second = await TcpProxy.start(pipeline.gateway.port);
  const reach = { gateway: { adminUrls: [first.url, second.url], timeout } };
  return { pipeline, first, second, reach };
}

const switched = ({ log }: Pipeline): unknown[] =>
  log.filter(({ message }) => message === "another URL of the Admin API is used").map(({ fields }) => fields);

it("the first Admin URL is dead at the start, the second dies later: nothing is lost, nothing written twice", async () => {
  const { pipeline, reach, first, second } = await started();
  await using _first = first;
  await using _second = second;
  for (let index = 0; index < 5; index++) pipeline.store("east").create("pods", declared(index));
  await pipeline.until("five routes", () => pipeline.pairs().length === 5);
  await pipeline.idle();
  await first.cut();
  const { mark } = pipeline;
  await pipeline.restart(reach);
  await pipeline.reconciled();
  expect(switched(pipeline)).toMatchObject([{ from: first.url, to: second.url }]);
  for (let index = 5; index < 10; index++) pipeline.store("east").create("pods", declared(index));
  await pipeline.until("ten routes", () => pipeline.pairs().length === 10);
  await pipeline.idle();

  await first.restore();
  await second.cut();
  pipeline.store("east").patch("pods", "shop/web-0", (object) => withReady(object, false));
  await pipeline.until("no nodes", () => pipeline.nodesOf("h0.example.com")?.length === 0);
  await pipeline.idle();
  expect(switched(pipeline)).toMatchObject([
    { from: first.url, to: second.url },
    { from: second.url, to: first.url },
  ]);
  expect(pipeline.tally(mark)).toEqual({ "PUT upstreams": 6, "PUT routes": 5 });
  expect(pipeline.invariants.idle).toEqual([]);
  expect(pipeline.controller.observation.ready()).toMatchObject({ ready: true });
});

it("an Admin URL takes a PUT and never answers: it stays in doubt, and the next request goes to the other", async () => {
  const { pipeline, reach, first, second } = await started(20, "500ms");
  await using _first = first;
  await using _second = second;
  pipeline.store("east").create("pods", declared(0));
  await pipeline.until("a route", () => pipeline.pairs().length === 1);
  await pipeline.idle();
  await pipeline.restart(reach);
  await pipeline.reconciled();
  expect(first.connections).toBeGreaterThan(0);

  first.silence();
  const { mark } = pipeline;
  pipeline.store("east").patch("pods", "shop/web-0", (object) => withReady(object, false));
  const { metrics } = pipeline.controller;
  const results = (): Record<string, number> =>
    Object.fromEntries(
      metrics
        .totals()
        .writes.filter(({ lane, resource }) => lane === "drip" && resource === "upstream")
        .map(({ result, count }) => [result, count]),
    );
  await pipeline.until("its end is not known", () => results()["unknown"] === 1);
  await pipeline.until("it is written again and read back", () =>
    [...pipeline.controller.writer.records.all()].every(({ uncertain }) => uncertain === undefined),
  );
  expect(results()).toMatchObject({ unknown: 1, done: 1, retry: 0 });
  expect(pipeline.writesSince(mark)).toEqual(["PUT upstreams", "PUT upstreams"]);
  expect(pipeline.nodesOf("h0.example.com")).toEqual([]);
  expect(second.connections).toBeGreaterThan(0);
});
