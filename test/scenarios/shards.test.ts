import { expect, it } from "vitest";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born } from "./pods.ts";

/** Pods by themselves and in groups, in 20 namespaces, of which every third wants a host that another one wants too. */
function fill({ fleet }: Pipeline): void {
  for (const { name, store } of fleet.clusters)
    for (let index = 0; index < 60; index++) {
      const namespace = `team-${index % 20}`;
      const host = index % 3 === 0 ? `shared-${index % 7}.example.com` : `${name}-${index}.example.com`;
      const routes = [
        { name: "web", port: 8080, host },
        { name: "api", port: "http", host, uri: `/api/${name}/${index}/*`, retries: index % 5 },
      ];
      const owner = index % 4 === 0 ? { owner: `set-${index}` } : {};
      const ready = index % 5 !== 0;
      store.create(
        "pods",
        pod({ namespace, name: `p-${index}`, created: born(index % 6), ready, routes, ...owner }),
      );
    }
}

/** Everything in the gateway, as stored, without times and indexes. */
function content({ gateway }: Pipeline): string {
  const objects = ["routes", "upstreams"].flatMap((collection) =>
    gateway.admin.store.list(collection).map(({ id, value }) => {
      const { create_time: _, update_time: __, ...rest } = value;
      return `${collection}/${id} ${JSON.stringify(rest)}`;
    }),
  );
  return objects.join("\n");
}

it("1, 2 and 8 shards, in threads and in memory, leave byte-identical content; a change of their number writes nothing", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: fill,
    settings: { shards: { count: 1 } },
  });
  await pipeline.reconciled();
  const first = content(pipeline);
  expect(pipeline.routes().length).toBeGreaterThan(150);
  const from = pipeline.mark;
  await pipeline.restart({ shards: { count: 2 } });
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);

  for (const [count, memory] of [
    [2, false],
    [8, true],
    [1, true],
  ] as const) {
    await pipeline.stopController();
    for (const { id } of pipeline.routes()) pipeline.forget(String(id));
    expect(content(pipeline)).toBe("");
    pipeline.memoryShards = memory;
    await pipeline.restart({ shards: { count } });
    await pipeline.reconciled();
    await pipeline.caughtUp();
    expect(content(pipeline)).toBe(first);
  }
});
