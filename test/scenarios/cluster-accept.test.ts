import { expect, it } from "vitest";
import { writeFile } from "node:fs/promises";
import { systemClock } from "../../src/runtime.ts";
import { ClusterStore } from "../../src/sim/kubernetes/cluster-store.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { many, web } from "./pods.ts";

/** Another cluster in the place of this one: the same Pods by name, so many or these, born anew. */
function rebuild(pipeline: Pipeline, name: string, pods: number | readonly KubeObject[]): void {
  const store = new ClusterStore({ clock: systemClock, random: Math.random });
  for (const one of typeof pods === "number" ? many(name, pods) : pods) store.create("pods", one);
  pipeline.cluster(name).server.cluster.swapStore(store);
}

it("M3 cluster accept: a rebuilt cluster's identity is taken, upstreams are relabelled, no route is written", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters)
        for (const one of many(name, 3)) store.create("pods", one);
    },
    speed: 10,
  });
  await pipeline.reconciled(6);
  const before = pipeline.mark;
  const was = pipeline.store("east").uid;
  rebuild(pipeline, "east", 3);
  const { controller } = pipeline;
  const state = (): string | undefined => controller.clusters.watches.get("east")?.health().pods?.state;
  await pipeline.until("degraded", () => state() === "degraded");
  expect(pipeline.writesSince(before)).toEqual([]);

  const { uid } = pipeline.store("east");
  expect(await controller.decisions.accept("east")).toEqual({
    ok: true,
    cluster: "east",
    uid,
    was,
    relabelled: 3,
  });
  await pipeline.until("synced", () => controller.intake.sees("east", "pods"));
  await pipeline.caughtUp();
  // Once for the cluster's uid, once for the Pods' own.
  const written = pipeline.namedSince(before);
  expect(new Set(written)).toEqual(
    new Set([0, 1, 2].map((each) => `PUT upstreams east/shop/east-${each}/web`)),
  );
  expect(written).toHaveLength(6);
  expect(JSON.stringify(pipeline.upstreams())).not.toContain(was);

  const after = pipeline.mark;
  expect(await controller.decisions.accept("east")).toMatchObject({ ok: true, was: uid, relabelled: 0 });
  await pipeline.restart();
  await pipeline.reconciled(6);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(after)).toEqual([]);
});

it("M3 cluster accept: the cluster is heard under its new identity, though an upstream could not be relabelled", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const one of many("east", 3)) fleet.cluster("east").store.create("pods", one);
    },
    speed: 10,
  });
  await pipeline.reconciled(3);
  const was = pipeline.store("east").uid;
  rebuild(pipeline, "east", 4);
  await pipeline.restart();
  await pipeline.reconciled();
  const { controller, gateway } = pipeline;
  expect(controller.intake.refusal("east")).toMatch(/another cluster answers/);

  const fault = { kind: "reset", when: "before" } as const;
  gateway.admin.faults.add({ fault, methods: ["PUT"], resource: "upstreams", times: 1 });
  const first = await controller.decisions.accept("east");
  expect(first).toMatchObject({ ok: false, status: 502, error: expect.stringMatching(/^1 of 3 upstreams/) });
  expect(await controller.decisions.accept("east")).toMatchObject({ ok: true });
  await pipeline.until("seen", () => controller.intake.sees("east", "pods"));
  await pipeline.until("the new Pod's route", () => pipeline.pairs().length === 4);
  await pipeline.caughtUp();
  expect(JSON.stringify(pipeline.upstreams())).not.toContain(was);
});

it("M3 cluster accept: Pods that are paused before the rebuilt cluster is heard keep their nodes and their routes", async () => {
  const group = { owner: "e", routes: [{ name: "web", port: 8080, host: "e.example.com" }] };
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      const { store } = fleet.cluster("east");
      for (const name of ["e-0", "e-1"]) store.create("pods", web(name, "", group));
      store.create("pods", web("alone", "alone.example.com"));
    },
    speed: 10,
  });
  await pipeline.reconciled(2);
  const before = pipeline.mark;
  const nodes = (): unknown => pipeline.upstreams().map(({ nodes: each }) => each);
  const stood = nodes();
  const { controller } = pipeline;
  const annotations = { "apisix-translator.io/paused": "true" };
  rebuild(pipeline, "east", [
    ...["e-0", "e-1"].map((name) => web(name, "", { ...group, annotations })),
    web("alone", "", { routes: [], annotations }),
  ]);
  expect(await controller.decisions.accept("east")).toMatchObject({ ok: true, relabelled: 2 });
  await pipeline.until("seen", () => controller.intake.sees("east", "pods"));
  await pipeline.caughtUp();
  expect(nodes()).toEqual(stood);
  expect(pipeline.pairs()).toHaveLength(2);
  expect(pipeline.writesSince(before)).toHaveLength(2);

  const after = pipeline.mark;
  await pipeline.restart();
  await pipeline.reconciled(2);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(after)).toEqual([]);
});

it("M3 cluster accept relabels what the guard holds, so that a restart knows the cluster", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    settings: { guard: { maxDeletes: 2, maxDeleteRatio: 0 } },
    before: ({ fleet }) => {
      for (const one of many("east", 12)) fleet.cluster("east").store.create("pods", one);
    },
    speed: 10,
  });
  await pipeline.reconciled(12);
  rebuild(pipeline, "east", 0);
  await pipeline.restart();
  await pipeline.reconciled();
  expect(pipeline.controller.intake.refusal("east")).toMatch(/another cluster answers/);
  const from = pipeline.mark;
  expect(await pipeline.controller.decisions.accept("east")).toMatchObject({ ok: true, relabelled: 12 });
  await pipeline.until("the guard", () => pipeline.controller.writer.guard.status().held === 12);
  await pipeline.restart();
  await pipeline.until("the guard again", () => pipeline.controller.writer.guard.status().held === 12);
  expect(pipeline.controller.intake.refusal("east")).toBeUndefined();
  expect(pipeline.namedSince(from).filter((write) => !write.startsWith("PUT upstreams "))).toEqual([]);
  expect(pipeline.pairs()).toHaveLength(12);
});

it("cluster accept refuses what it cannot know: another name, the same cluster, one that does not answer", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (const { name, store } of fleet.clusters)
        for (const one of many(name, 1)) store.create("pods", one);
    },
  });
  await pipeline.reconciled(2);
  const { decisions } = pipeline.controller;
  expect(await decisions.accept("north")).toMatchObject({ ok: false, status: 404 });
  await pipeline.cluster("east").server.stop();
  expect(await decisions.accept("east")).toMatchObject({ ok: false, status: 502 });
  await writeFile(pipeline.cluster("east").kubeconfigPath, pipeline.cluster("west").server.kubeconfig());
  const twin = await decisions.accept("east");
  expect(twin).toMatchObject({ ok: false, status: 409, error: expect.stringContaining("watched as west") });
});
