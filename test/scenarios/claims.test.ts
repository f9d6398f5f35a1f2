import { expect, it } from "vitest";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import type { Routes } from "../../src/sim/kubernetes/source-metadata.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import { born, entry, web } from "./pods.ts";

const declare = (pipeline: Pipeline, name: string, routes: Routes): void =>
  void pipeline.store("east").patch("pods", `shop/${name}`, (object) => withRoutes(object, routes));

/** Pods `NAME` of growing age under their hosts, written; from now on there is room for one burst only. */
async function start(hosts: Readonly<Record<string, string>>, settings: object = {}): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east"], {
    ...{ memoryShards: true, settings },
    before: ({ fleet }) => {
      Object.entries(hosts).forEach(([name, host], order) =>
        fleet.cluster("east").store.create("pods", web(name, host, { created: born(order) })),
      );
    },
  });
  await pipeline.reconciled();
  await pipeline.caughtUp();
  return pipeline;
}

const allowed = { policy: { plugins: ["limit-count"] } };
const oneBurst = { throttle: { routeInterval: "1h" } };

it("M9 two routes swap hosts: both end on the new ones, the younger is deleted first, no upstream is written", async () => {
  const pipeline = await start({ a: "a.example.com", b: "b.example.com" });
  const from = pipeline.mark;
  declare(pipeline, "a", [entry("b.example.com")]);
  declare(pipeline, "b", [entry("a.example.com")]);
  await pipeline.until("the swap", () => pipeline.holderOf("a.example.com") === "east/shop/b/web");
  await pipeline.caughtUp();
  expect(pipeline.holderOf("b.example.com")).toBe("east/shop/a/web");
  expect(pipeline.namedSince(from)).toEqual([
    "DELETE routes east/shop/b/web",
    "PUT routes east/shop/a/web",
    "PUT routes east/shop/b/web",
  ]);
});

it("M9 two routes that swap hosts, one of which APISIX refuses: both stay, and move once it is put right", async () => {
  const pipeline = await start({ a: "a.example.com", b: "b.example.com" }, allowed);
  const from = pipeline.mark;
  declare(pipeline, "a", [entry("b.example.com", { plugins: { "limit-count": { count: true } } })]);
  declare(pipeline, "b", [entry("a.example.com")]);
  await pipeline.until("both to be judged", async () => {
    const states = [
      ...(await pipeline.statesOf("east/shop/pod/a")),
      ...(await pipeline.statesOf("east/shop/pod/b")),
    ];
    return states.join() === "Rejected,Conflict";
  });
  const [explained] = await pipeline.explain("east/shop/pod/b");
  expect(explained?.reason).toBe(
    "a.example.com/* is held by east/shop/pod/a, route web; its old route stands meanwhile",
  );
  expect(pipeline.namedSince(from)).toEqual([]);
  declare(pipeline, "a", [entry("b.example.com")]);
  await pipeline.until("the swap", () => pipeline.holderOf("a.example.com") === "east/shop/b/web");
  expect(pipeline.holderOf("b.example.com")).toBe("east/shop/a/web");
});

it("M9 a ring of four moves on by one with a single delete", async () => {
  const names = ["a", "b", "c", "d"];
  const pipeline = await start(Object.fromEntries(names.map((name) => [name, `${name}.example.com`])));
  const from = pipeline.mark;
  names.forEach((name, index) => declare(pipeline, name, [entry(`${names[(index + 1) % 4]}.example.com`)]));
  await pipeline.until("the move", () => pipeline.holderOf("a.example.com") === "east/shop/d/web");
  await pipeline.caughtUp();
  expect(names.map((name) => pipeline.holderOf(`${name}.example.com`)?.split("/")[2])).toEqual([
    "d",
    "a",
    "b",
    "c",
  ]);
  expect(pipeline.tally(from)).toEqual({ "DELETE routes": 1, "PUT routes": 4 });
});

it("M7 the winner is edited away: its challenger is promoted in the same burst; the oldest of several", async () => {
  const pipeline = await start({ winner: "h.example.com", old: "h.example.com", young: "h.example.com" });
  expect((await pipeline.statesOf("h.example.com")).toSorted()).toEqual(["Conflict", "Conflict", "Routed"]);
  await pipeline.restart(oneBurst);
  await pipeline.reconciled();
  const from = pipeline.mark;
  declare(pipeline, "winner", [entry("elsewhere.example.com")]);
  await pipeline.until("the challenger", () => pipeline.holderOf("h.example.com") === "east/shop/old/web");
  await pipeline.until("the winner moved", () => pipeline.routeOf("elsewhere.example.com") !== undefined);
  expect(pipeline.namedSince(from).toSorted()).toEqual([
    "PUT routes east/shop/old/web",
    "PUT routes east/shop/winner/web",
    "PUT upstreams east/shop/old/web",
  ]);
  expect(await pipeline.statesOf("east/shop/pod/young")).toEqual(["Conflict"]);
});

it("a route that is renamed in its annotation keeps its host ahead of an older challenger, in one burst", async () => {
  const pipeline = await start({ unrelated: "u.example.com", renamed: "h.example.com" });
  pipeline
    .store("east")
    .create("pods", web("older", "h.example.com", { created: born(0), namespace: "other" }));
  await pipeline.caughtUp();
  expect(await pipeline.statesOf("east/other/pod/older")).toEqual(["Conflict"]);
  await pipeline.restart(oneBurst);
  await pipeline.reconciled();
  await pipeline.caughtUp();
  const from = pipeline.mark;
  declare(pipeline, "renamed", [{ ...entry("h.example.com"), name: "new" }]);
  await pipeline.until("the new name", () => pipeline.holderOf("h.example.com") === "east/shop/renamed/new");
  await pipeline.until("the old one is gone", () => pipeline.upstreams().length === 2);
  expect(pipeline.namedSince(from).toSorted()).toEqual([
    "DELETE routes east/shop/renamed/web",
    "DELETE upstreams east/shop/renamed/web",
    "PUT routes east/shop/renamed/new",
    "PUT upstreams east/shop/renamed/new",
  ]);
});

it("a route keeps its old body until all its new pairs are free; yielded pairs go to the first challenger", async () => {
  const pipeline = await start({
    mover: "old.example.com",
    taken: "new.example.com",
    waiting: "old.example.com",
  });
  const from = pipeline.mark;
  declare(pipeline, "mover", [entry("new.example.com", { uri: "/*" })]);
  await pipeline.caughtUp();
  expect(await pipeline.statesOf("east/shop/pod/mover")).toEqual(["Conflict"]);
  const yielded = pipeline.holderOf("old.example.com");
  expect(yielded).toBe("east/shop/waiting/web");
  declare(pipeline, "taken", "[]");
  await pipeline.until("the move", () => pipeline.holderOf("new.example.com") === "east/shop/mover/web");
  await pipeline.caughtUp();
  expect(pipeline.invariants.idle).toEqual([]);
  expect(pipeline.routes()).toHaveLength(2);
  expect(pipeline.writesSince(from).length).toBeGreaterThan(0);
});

it("a route that gives up one of its hosts is narrowed for the challenger of that host, with no gap for the other", async () => {
  const pipeline = await start({ wide: "x.example.com", blocker: "z.example.com" });
  declare(pipeline, "wide", [{ name: "web", port: 8080, hosts: ["x.example.com", "y.example.com"] }]);
  await pipeline.until("both hosts", () => pipeline.routeOf("y.example.com") !== undefined);
  pipeline.store("east").create("pods", web("wants-y", "y.example.com"));
  await pipeline.caughtUp();
  const from = pipeline.mark;
  declare(pipeline, "wide", [{ name: "web", port: 8080, hosts: ["x.example.com", "z.example.com"] }]);
  await pipeline.until("y goes on", () => pipeline.holderOf("y.example.com") === "east/shop/wants-y/web");
  await pipeline.caughtUp();
  expect(pipeline.holderOf("x.example.com")).toBe("east/shop/wide/web");
  expect(pipeline.namedSince(from)).toEqual([
    "PUT routes east/shop/wide/web",
    "PUT upstreams east/shop/wants-y/web",
    "PUT routes east/shop/wants-y/web",
  ]);
  expect(await pipeline.statesOf("east/shop/pod/wide")).toEqual(["Conflict"]);
});

it("A8 a host in upper case and with a trailing dot is the same host: before the claim, the diff and the write", async () => {
  const pipeline = await start({ first: "A8.Example.COM.", second: "a8.example.com" });
  expect(pipeline.pairs()).toEqual(["a8.example.com /*"]);
  expect(await pipeline.statesOf("east/shop/pod/second")).toEqual(["Conflict"]);
  const from = pipeline.mark;
  declare(pipeline, "first", [entry("a8.EXAMPLE.com")]);
  await pipeline.restart();
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual([]);
});
