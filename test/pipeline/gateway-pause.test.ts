import { expect, it } from "vitest";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "./pipeline.ts";

const declared = (index: number) =>
  pod({
    ...{ namespace: "shop", name: `web-${index}`, ip: `10.0.0.${index}` },
    routes: [{ name: "web", port: 8080, host: `h${index}.example.com` }],
  });

const started = (count: number, settings: object = {}): Promise<Pipeline> =>
  Pipeline.start(["east"], {
    ...{ settings, memoryShards: true },
    before: ({ fleet }) => {
      for (let index = 0; index < count; index++) fleet.cluster("east").store.create("pods", declared(index));
    },
  });

it("writes nothing while it is paused, follows its clusters, and then writes the newest state", async () => {
  const pipeline = await started(3);
  await pipeline.reconciled();
  const { observation } = pipeline.controller;
  await observation.pause();
  const { mark } = pipeline;
  for (const ready of [false, true, false])
    pipeline.store("east").patch("pods", "shop/web-0", (object) => withReady(object, ready));
  pipeline.store("east").create("pods", declared(7));
  pipeline.store("east").remove("pods", "shop/web-1");
  await pipeline.until("the new Pod is known", async () =>
    (await pipeline.statesOf("east/shop/pod/web-7")).includes("Pending"),
  );
  expect((await pipeline.explain("east/shop/pod/web-7"))[0]?.reason).toContain("POST /resume");
  expect(await observation.audit()).toEqual({ ok: true, drifted: 0 });
  expect(pipeline.writesSince(mark)).toEqual([]);
  expect(await observation.status()).toMatchObject({ paused: true, role: "leader" });
  expect(observation.ready()).toMatchObject({ ready: true, paused: true });

  observation.resume();
  await pipeline.until("all is as declared", () =>
    Boolean(pipeline.nodesOf("h0.example.com")?.length === 0 && !pipeline.routeOf("h1.example.com")),
  );
  await pipeline.until("the new one", () => pipeline.nodesOf("h7.example.com")?.length === 1);
  expect(pipeline.namedSince(mark).filter((write) => write.includes("web-0"))).toEqual([
    "PUT upstreams east/shop/web-0/web",
  ]);
  expect(await observation.status()).toMatchObject({ paused: false });
  expect(observation.ready()).not.toHaveProperty("paused");
  expect(pipeline.log.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      ...["paused: nothing is written to APISIX", "resumed: the newest state is written"],
    ]),
  );
});

it("stops in the middle of a burst, and goes on with it", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { throttle: { concurrency: 2 } },
  });
  await pipeline.reconciled();
  pipeline.gateway.admin.faults.add({ fault: { kind: "delay", ms: 5, when: "before" } });
  for (let index = 0; index < 20; index++) pipeline.store("east").create("pods", declared(index));
  await pipeline.until("a few routes", () => pipeline.pairs().length > 3);
  await pipeline.controller.observation.pause();
  const { mark } = pipeline;
  await pipeline.until("the burst is over", () => !pipeline.controller.writer.bursts.running);
  expect(pipeline.writesSince(mark)).toEqual([]);
  expect(pipeline.pairs().length).toBeLessThan(20);
  pipeline.controller.observation.resume();
  await pipeline.until("all routes", () => pipeline.pairs().length === 20);
});

it("judges whole, by the guard, what went during a pause", async () => {
  const pipeline = await started(5, { guard: { maxDeletes: 2, maxDeleteRatio: 0 } });
  await pipeline.reconciled();
  const { observation, writer } = pipeline.controller;
  await observation.pause();
  const { mark } = pipeline;
  for (let index = 0; index < 4; index++) pipeline.store("east").remove("pods", `shop/web-${index}`);
  await pipeline.until("their end is known", () =>
    [...writer.records.all()].every(
      ({ identity, change }) => identity.name === "web-4" || change?.stand.type === "absent",
    ),
  );
  observation.resume();
  await pipeline.idle();
  expect(writer.guard.status().held).toBe(4);
  expect(pipeline.writesSince(mark)).toEqual([]);
  expect(pipeline.pairs()).toHaveLength(5);
});

it("paused before its first write is not ready and says why, until it is resumed", async () => {
  const pipeline = await started(2);
  const { observation } = pipeline.controller;
  await observation.pause();
  const { mark } = pipeline;
  await pipeline.until("everything is known", () => pipeline.controller.writer.areBurstsOpen);
  // A look at all of APISIX takes longer than what would have been written.
  await observation.audit();
  expect(observation.ready()).toMatchObject({
    ready: false,
    waitingFor: expect.arrayContaining(["writes are paused, until POST /resume"]) as string[],
  });
  expect(pipeline.writesSince(mark)).toEqual([]);
  observation.resume();
  await pipeline.reconciled();
  expect(pipeline.pairs()).toHaveLength(2);
});

it("is not paused after a restart", async () => {
  const pipeline = await started(1);
  await pipeline.reconciled();
  await pipeline.controller.observation.pause();
  pipeline.store("east").create("pods", declared(1));
  await pipeline.restart();
  await pipeline.until("the new one", () => pipeline.pairs().length === 2);
});
