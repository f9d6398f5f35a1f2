import { expect, it } from "vitest";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { Pipeline } from "./pipeline.ts";
import { born } from "../scenarios/pods.ts";

const declared = (name: string, host: string, ip = "10.0.0.1") =>
  pod({ namespace: "shop", name, ip, routes: [{ name: "web", port: 8080, host }] });

it("Pods of two clusters become routes, follow every change, and a restart writes nothing", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: ({ fleet }) => {
      fleet.cluster("east").store.create("pods", declared("web-0", "a.example.com"));
      fleet.cluster("west").store.create("pods", declared("web-0", "b.example.com", "10.1.0.1"));
    },
  });
  await pipeline.reconciled();
  expect(pipeline.pairs()).toEqual(["a.example.com /*", "b.example.com /*"]);
  expect(pipeline.nodesOf("b.example.com")).toEqual(["10.1.0.1:8080"]);
  expect(pipeline.writesSince(0).toSorted()).toEqual([
    "PUT routes",
    "PUT routes",
    "PUT upstreams",
    "PUT upstreams",
  ]);

  const before = pipeline.writes.length;
  pipeline.store("east").patch("pods", "shop/web-0", (object) => withReady(object, false));
  await pipeline.until("no nodes", () => pipeline.nodesOf("a.example.com")?.length === 0);
  expect(pipeline.writesSince(before)).toEqual(["PUT upstreams"]);

  await pipeline.caughtUp();
  const standing = pipeline.writes.length;
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(standing)).toEqual([]);
});

it("a translator that is stopped at any moment of its start ends without a fault", async () => {
  const pipeline = await Pipeline.start(["east", "west"]);
  for (const moment of ["at once", "a turn later", "shards are up", "clusters are watched"] as const) {
    if (moment === "a turn later") await new Promise((resolve) => setImmediate(resolve));
    if (moment === "shards are up")
      await pipeline.until(moment, () => pipeline.controller.clusters.watches.size > 0);
    if (moment === "clusters are watched")
      await pipeline.until(moment, () =>
        ["east", "west"].every((name) => pipeline.controller.identities.uidOf(name) !== undefined),
      );
    await pipeline.restart();
  }
  await pipeline.reconciled();
  expect(pipeline.log.filter(({ level }) => level === "error")).toEqual([]);
});

/** Pods by themselves and in groups, in 20 namespaces, of which every third wants a host that another one wants too. */
function fill({ fleet }: Pipeline): void {
  for (const { name, store } of fleet.clusters)
    for (let index = 0; index < 60; index++) {
      const namespace = `team-${index % 20}`;
      const host = index % 3 === 0 ? `shared-${index % 7}.example.com` : `${name}-${index}.example.com`;
      const routes = [
        { name: "web", port: 8080, host },
        { name: "api", port: "http", host, uri: `/api/${name}/${index}/*`, retries: index % 5 },
        ...(index % 6 === 1
          ? [{ name: "all", port: 8080, host: `${namespace}.example.com`, share: "fleet" }]
          : []),
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
