import { expect, it } from "vitest";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

const host = "shop.example.com";
const guard = { maxDeletes: 0, maxDeleteRatio: 0 };

/** The one member of a cluster in the fleet group. */
const member = (order: number): ReturnType<typeof web> =>
  web(`p-${order}`, host, {
    ...{ ip: `10.0.0.${order}`, created: born(order) },
    routes: [entry(host, { share: "fleet" })],
  });

it.each(["seen", "out of sight"])(
  "a fleet group does not lose its last nodes to a watch event unless the guard lets it, while its other cluster is drained and %s; then it counts as gone",
  async (how) => {
    const settings = { guard, clusters: { east: { weight: 0 } } };
    const pipeline = await Pipeline.start(["east", "west"], {
      ...{ speed: 30, settings },
      before: ({ fleet }) => {
        fleet.cluster("east").store.create("pods", member(1));
        fleet.cluster("west").store.create("pods", member(2));
      },
    });
    await pipeline.reconciled(1);
    await pipeline.caughtUp();
    const { observation, writer, clusters } = pipeline.controller;
    const isLost = (): boolean => clusters.watches.get("east")?.health().pods?.state === "degraded";
    if (how === "out of sight") {
      await pipeline.cluster("east").server.stop();
      await pipeline.until("east is degraded", isLost);
    }
    const from = pipeline.mark;
    pipeline.store("west").remove("pods", "shop/p-2");
    await pipeline.until("it to be held", () => writer.guard.status().held === 1);
    await pipeline.idle();
    expect(pipeline.writesSince(from)).toEqual([]);
    expect(pipeline.nodesOf(host)).toEqual(["10.0.0.2:8080"]);

    pipeline.store("west").create("pods", member(2));
    await pipeline.until("it to be back", () => writer.guard.status().held === 0);
    pipeline.store("west").remove("pods", "shop/p-2");
    await pipeline.until("it to be held again", () => writer.guard.status().held === 1);
    expect(observation.approve(writer.guard.status().batch ?? "")).toBe(1);
    await pipeline.until("it to be emptied", () => pipeline.nodesOf(host)?.length === 0);
    await pipeline.idle();
    expect(pipeline.writesSince(from)).toEqual(["PUT upstreams"]);
    if (how === "seen") return;
    pipeline.store("east").remove("pods", "shop/p-1");
    await pipeline.cluster("east").server.start();
    await pipeline.until("all gone", () => pipeline.upstreams().length === 0);
  },
);
