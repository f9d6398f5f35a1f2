import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { withReady } from "../../src/sim/kubernetes/pod.ts";
import type { Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, many, web } from "./pods.ts";

/** Three Pods with hosts of their own in every cluster: `CLUSTER-0` and so on. */
function fill(fleet: Fleet): void {
  for (const { name, store } of fleet.clusters) for (const each of many(name, 3)) store.create("pods", each);
}

it("a cluster that leaves the configuration keeps its objects and pairs; back, it needs no write", async () => {
  const pipeline = await Pipeline.start(["east", "west"], { before: ({ fleet }) => fill(fleet) });
  await pipeline.reconciled(6);
  const from = pipeline.mark;
  pipeline.configure({ without: ["west"] });
  const { server, store } = pipeline.cluster("west");
  await server.traffic.until(() => server.traffic.openWatches().length === 0);
  pipeline.store("east").create("pods", web("thief", "west-0.example.com", { created: born(0) }));
  await pipeline.until(
    "a conflict",
    async () => (await pipeline.statesOf("east/shop/pod/thief"))[0] === "Conflict",
  );
  const { clusters } = await pipeline.controller.observation.status();
  expect(clusters.map(({ name }) => name)).toEqual(["east"]);
  await pipeline.controller.audit.run();
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);

  pipeline.configure({});
  await pipeline.until("west is seen", () => pipeline.controller.intake.sees("west", "pods"));
  await pipeline.idle();
  expect(pipeline.writesSince(from)).toEqual([]);

  pipeline.configure({ without: ["west"] });
  store.remove("pods", "shop/west-0");
  store.patch("pods", "shop/west-1", (object) => withReady(object, false));
  pipeline.configure({});
  await pipeline.until(
    "the thief has it",
    async () => (await pipeline.statesOf("east/shop/pod/thief"))[0] === "Routed",
  );
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from).toSorted()).toEqual([
    "DELETE routes west/shop/west-0/web",
    "DELETE upstreams west/shop/west-0/web",
    "PUT routes east/shop/thief/web",
    "PUT upstreams east/shop/thief/web",
    "PUT upstreams west/shop/west-0/web",
    "PUT upstreams west/shop/west-1/web",
  ]);
});

it.each([
  { share: "none", resumed: "out", ends: "goes" },
  { share: "fleet", resumed: "out", ends: "goes" },
  { share: "fleet", resumed: "back", ends: "goes" },
  { share: "fleet", resumed: "out", ends: "stays, declared anew," },
] as const)(
  "what was to go (share: $share) when its cluster left the configuration, during a pause that ends when that is $resumed, $ends once it is back",
  async ({ share, resumed, ends }) => {
    const last = web("last", "", { routes: [entry("last.example.com", { share })] });
    const pipeline = await Pipeline.start(["east", "west"], {
      memoryShards: true,
      before: ({ fleet }) => {
        fill(fleet);
        fleet.cluster("west").store.create("pods", last);
      },
    });
    await pipeline.reconciled(7);
    const { observation, intake, writer } = pipeline.controller;
    await observation.pause();
    pipeline.store("west").remove("pods", "shop/last");
    await pipeline.until("it is known", () =>
      [...writer.records.ofCluster("west")].some(({ change }) => change?.stand.type === "absent"),
    );
    pipeline.configure({ without: ["west"] });
    if (resumed === "out") observation.resume();
    await pipeline.controller.shards.caughtUp("west");
    const from = pipeline.mark;
    if (ends !== "goes") pipeline.store("west").create("pods", last);
    pipeline.configure({});
    await pipeline.until("west is seen", () => intake.sees("west", "pods"));
    observation.resume();
    if (ends === "goes") return pipeline.until("it is gone", () => pipeline.routes().length === 6);
    await pipeline.caughtUp();
    expect(pipeline.writesSince(from)).toEqual([]);
  },
);

it("what waits to be written when its cluster leaves the configuration is forgotten, and is not said again", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    memoryShards: true,
    before: ({ fleet }) => fill(fleet),
    settings: { throttle: { concurrency: 1 } },
  });
  await pipeline.reconciled(6);
  const { shards, writer } = pipeline.controller;
  pipeline.gateway.admin.faults.setEtcd("hung");
  for (const each of many("late", 3)) pipeline.store("west").create("pods", each);
  const names = (): string[] =>
    [...writer.records.ofCluster("west")].map(({ identity: { name } }) => name).toSorted();
  await pipeline.until("all are heard of", () => names().length === 6);
  // One is being written; the bodies of the next are at hand, which their shard remembers.
  await shards.caughtUp("west");
  await pipeline.until("a write", () => writer.pacer.running === 1);
  pipeline.configure({ without: ["west"] });
  await shards.caughtUp("west");
  pipeline.gateway.admin.faults.setEtcd("up");
  await pipeline.idle();
  expect(names().filter((name) => name !== "late-0")).toEqual(["west-0", "west-1", "west-2"]);
});

it("a cluster that comes while running is watched and routed, and the others write nothing", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    settings: { without: ["west"] },
    before: ({ fleet }) => fill(fleet),
  });
  await pipeline.reconciled(3);
  const from = pipeline.mark;
  pipeline.configure({});
  await pipeline.until("six routes", () => pipeline.routes().length === 6);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from).filter((write) => !write.includes(" west/"))).toEqual([]);
});

it("a kubeconfig that is broken at the start and mended later: degraded with the reason, then routed", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: async ({ fleet }) => {
      fill(fleet);
      await writeFile(fleet.cluster("west").kubeconfigPath, "clusters: [");
    },
    speed: 20,
  });
  await pipeline.reconciled(3);
  const { degraded } = pipeline.controller.observation.ready();
  expect(degraded).toEqual([expect.stringMatching(/^west: kubeconfig .* is not YAML/)]);
  await writeFile(pipeline.cluster("west").kubeconfigPath, pipeline.cluster("west").server.kubeconfig());
  await pipeline.until("six routes", () => pipeline.routes().length === 6);
});

it("M4 a kubeconfig replaced on disk: a good one takes over without a write; a bad one changes nothing and is loud", async () => {
  const pipeline = await Pipeline.start(["east"], { before: ({ fleet }) => fill(fleet), speed: 10 });
  await pipeline.reconciled(3);
  const { server, kubeconfigPath, store } = pipeline.cluster("east");
  const from = pipeline.mark;
  server.access.tokens.add("second-token");
  await writeFile(kubeconfigPath, server.kubeconfig({ token: "second-token" }));
  await pipeline.until("the new session", () =>
    pipeline.log.some(({ message }) => message.includes("has proved itself")),
  );
  server.access.tokens.delete("sim-token");

  await writeFile(kubeconfigPath, server.kubeconfig({ token: "third-token" }));
  const isLoud = (): boolean =>
    pipeline.log.some(({ level, message }) => level === "error" && message.includes("cannot take over"));
  await pipeline.until("an alarm", isLoud);
  expect(pipeline.controller.observation.ready().degraded).toEqual([
    expect.stringMatching(/^east: new credentials cannot be used: .*401/),
  ]);
  expect(pipeline.writesSince(from)).toEqual([]);
  store.patch("pods", "shop/east-0", (object) => withReady(object, false));
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from)).toEqual(["PUT upstreams east/shop/east-0/web"]);
  expect(JSON.stringify(pipeline.log)).not.toContain("third-token");
});

it("namespaces: what is outside them is kept as it stands, at a restart too, and followed when they are taken in", async () => {
  const pipeline = await Pipeline.start(["east"], {
    before: ({ fleet }) => {
      for (const namespace of ["shop", "bar"])
        fleet.cluster("east").store.create("pods", web("a", `${namespace}.example.com`, { namespace }));
    },
  });
  await pipeline.reconciled(2);
  const from = pipeline.mark;
  const narrow = { clusters: { east: { namespaces: ["shop"] } } };
  const seesPods = (): boolean => pipeline.controller.intake.sees("east", "pods");
  const { store } = pipeline.cluster("east");

  pipeline.configure(narrow);
  await pipeline.until("shop is listed", seesPods);
  store.remove("pods", "bar/a");
  await pipeline.caughtUp();
  await pipeline.restart(narrow);
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
  expect(pipeline.pairs()).toHaveLength(2);
  const facts = pipeline.controller.observation.facts;
  const [bar] = [...pipeline.controller.writer.records.all()].filter(
    ({ identity }) => identity.namespace === "bar",
  );
  expect(facts.hidden(bar!)).toBe("namespace bar is not among those that are watched in east");

  pipeline.configure({});
  await pipeline.until("bar/a is gone", () => pipeline.pairs().length === 1);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from)).toEqual([
    "PUT upstreams east/bar/a/web",
    "DELETE routes east/bar/a/web",
    "DELETE upstreams east/bar/a/web",
  ]);
});

it("one slow exec plugin delays no other cluster", async () => {
  const pipeline = await Pipeline.start(["east", "west"], {
    before: async ({ fleet }) => {
      fill(fleet);
      const { server, kubeconfigPath } = fleet.cluster("west");
      const config = JSON.parse(server.kubeconfig()) as { users: { user: object }[] };
      config.users[0]!.user = { exec: { command: "/bin/sh", args: ["-c", "exec sleep 60"] } };
      await writeFile(kubeconfigPath, JSON.stringify(config));
    },
    speed: 10,
  });
  await pipeline.reconciled(3);
  pipeline.store("east").create("pods", web("new", "new.example.com"));
  await pipeline.until("four routes", () => pipeline.routes().length === 4);
  const { kinds } = (await pipeline.controller.observation.status()).clusters[1]!;
  expect(kinds.pods).toMatchObject({ state: "listing", objects: 0 });
});
