import { expect, it } from "vitest";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "./pipeline.ts";

const declared = (index: number, host = `h${index}.example.com`) =>
  pod({
    ...{ namespace: "shop", name: `web-${index}`, ip: `10.0.0.${index}` },
    routes: [{ name: "web", port: 8080, host }],
  });

/** What was made up, in order, as `METHOD resource name`. */
function madeUp({ log }: Pipeline): string[] {
  return log
    .filter(({ message }) => message === "shadow: this would be written")
    .map(
      ({ fields }) => `${String(fields["method"])} ${String(fields["resource"])} ${String(fields["name"])}`,
    );
}

/** How many of each resource were counted as made up; anything else that was counted fails. */
function counted({ controller }: Pipeline): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { resource, result, count } of controller.metrics.totals().writes) {
    if (result !== "shadow") expect(count).toBe(0);
    else counts[resource] = (counts[resource] ?? 0) + count;
  }
  return counts;
}

it("a shadow does everything but write: what it would write is counted and told, each once", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    ...{ shadow: true, memoryShards: true },
    before: ({ fleet }) => {
      for (let index = 0; index < 3; index++) fleet.cluster("east").store.create("pods", declared(index));
      fleet.cluster("west").store.create("pods", declared(9, "h0.example.com"));
    },
  });
  await pipeline.reconciled();
  const { observation } = pipeline.controller;
  expect(counted(pipeline)).toEqual({ upstream: 3, route: 3 });
  expect(await observation.status()).toMatchObject({ shadow: true, routes: { Routed: 3, Conflict: 1 } });
  expect(observation.ready()).toMatchObject({ ready: true, shadow: true });

  for (let times = 0; times < 3; times++) expect(await observation.audit()).toEqual({ ok: true, drifted: 0 });
  await pipeline.idle();
  expect(counted(pipeline)).toEqual({ upstream: 3, route: 3 });

  pipeline.store("east").patch("pods", "shop/web-1", (object) => withReady(object, false));
  pipeline.store("east").remove("pods", "shop/web-2");
  await pipeline.until("both are written", () => madeUp(pipeline).length === 6 + 1 + 1 + 2);
  expect(madeUp(pipeline).slice(6).toSorted()).toEqual([
    ...["DELETE route undefined", "DELETE upstream undefined"],
    ...["PUT upstream east/shop/web-1/web", "PUT upstream east/shop/web-2/web"],
  ]);
  expect(await observation.audit()).toEqual({ ok: true, drifted: 0 });
  expect(pipeline.writes).toEqual([]);
  expect(pipeline.pairs()).toEqual([]);
});

it("a shadow beside who leads finds nothing to write, and tells what a human's edit would need, once", async () => {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    before: ({ fleet }) => {
      for (let index = 0; index < 2; index++) fleet.cluster("east").store.create("pods", declared(index));
    },
  });
  await pipeline.reconciled();
  await pipeline.shadow();
  await pipeline.reconciled();
  expect(counted(pipeline)).toEqual({ upstream: 0, route: 0 });

  const id = String(pipeline.routeOf("h1.example.com")?.["id"]);
  const { mark } = pipeline;
  pipeline.asStranger("DELETE", `routes/${id}`);
  const { observation } = pipeline.controller;
  expect(await observation.audit()).toEqual({ ok: true, drifted: 1 });
  await pipeline.idle();
  for (let times = 0; times < 3; times++) expect(await observation.audit()).toEqual({ ok: true, drifted: 0 });
  await pipeline.idle();
  expect(counted(pipeline)).toEqual({ upstream: 0, route: 1 });
  expect(pipeline.controller.metrics.totals().repaired).toEqual({ upstream: 0, route: 0 });
  expect(pipeline.writesSince(mark)).toEqual([]);
});
