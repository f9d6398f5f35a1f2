import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { TcpProxy } from "../pipeline/tcp-proxy.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { createNamespace, podPath, reportRunning } from "./control-plane/pods.ts";
import { Scene } from "./scene.ts";
import type { TranslatorProcess } from "./translator-process.ts";

const count = 6;
const patience = 240_000;

describeReal("Networks that say nothing", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.open({ clusters: ["east", "west"] });
    for (const { server } of scene.plane.clusters) await createNamespace(server.admin, "shop");
    for (const cluster of ["east", "west"]) await scene.createPods(cluster, "pod", count);
  });

  afterEach(() => scene.end());

  afterAll(() => scene?.close());

  const proxied = (url: string): Promise<TcpProxy> => TcpProxy.start(Number(new URL(url).port));
  /** Each Pod has its route. */
  const routed = async (live: TranslatorProcess): Promise<void> => {
    const all = await Promise.all(["east", "west"].map((name) => scene.admin(name).list("/api/v1/pods")));
    await live.until("every route", () => scene.view.routes().length === all.flat().length);
  };
  const stateOf = async (live: TranslatorProcess, cluster: string): Promise<string | undefined> =>
    (await live.status()).clusters.find(({ name }) => name === cluster)?.kinds.pods?.state;
  const flip = (cluster: string, name: string, ready: boolean): Promise<unknown> =>
    reportRunning(scene.admin(cluster), { namespace: "shop", name, ips: ["10.99.0.1"] }, ready);
  const remove = (cluster: string, name: string): Promise<unknown> =>
    scene.admin(cluster).delete(podPath({ namespace: "shop", name }), { gracePeriodSeconds: 0 });
  const goes = (cluster: string, name: string): string[] =>
    ["PUT upstreams", "DELETE routes", "DELETE upstreams"].map((act) => `${act} ${cluster}/shop/${name}/web`);
  const nodes = (host: string): number | undefined => scene.view.nodesOf(host)?.length;

  it(
    "W5: half-open watches are found and opened again; a cluster out of which nothing comes is degraded, and keeps everything",
    async () => {
      await using east = await proxied(scene.plane.cluster("east").server.url);
      await using west = await proxied(scene.plane.cluster("west").server.url);
      const live = await scene.run({}, {}, { east, west });
      await routed(live);
      const { mark } = scene.view;
      east.forsake();
      west.hold();
      for (const cluster of ["east", "west"]) {
        await remove(cluster, "pod-5");
        await flip(cluster, "pod-0", false);
      }
      // The proxy's kernel answers TCP's own probes, so it is found only by what does not come: seven probes of 20 s.
      const east5 = [...goes("east", "pod-5"), "PUT upstreams east/shop/pod-0/web"];
      await live.until("east is heard again", () => scene.view.mark - mark >= east5.length, patience);
      await live.until(
        "west is degraded",
        async () => (await stateOf(live, "west")) === "degraded",
        patience,
      );
      expect(await stateOf(live, "east")).toBe("synced");
      expect(scene.view.namedSince(mark).toSorted()).toEqual(east5.toSorted());
      west.release();
      await scene.wrote(live, mark, [
        ...east5,
        ...goes("west", "pod-5"),
        "PUT upstreams west/shop/pod-0/web",
      ]);
    },
    2 * patience,
  );

  it("an Admin API that hangs, and carries out later what was given up: the end is right, and a stranger's route stays", async () => {
    await using way = await proxied(scene.view.gateway.url);
    const live = await scene.run({ gateway: { timeout: "2s" } }, {}, { gateway: way });
    await routed(live);
    const { view } = scene;
    const begun = view.mark;
    way.hold();
    await flip("east", "pod-1", false);
    await flip("west", "pod-1", false);
    await remove("east", "pod-4");
    await scene.createPods("east", "late", 2);
    await scene.createPods("east", "short", 1);
    await live.until("the gateway is given up", async () => (await live.status()).gateway.state === "down");
    // What is on its way says what is no longer so.
    await flip("west", "pod-1", true);
    await remove("east", "short-0");
    view.asStranger("PUT", "routes/strange", {
      ...{ uris: ["/*"], hosts: ["late-0.east.example.com"] },
      upstream: { nodes: { "10.200.0.1:80": 1 }, type: "roundrobin" },
    });
    const strange = JSON.stringify(view.gateway.admin.store.get("routes", "strange"));
    const held = performance.now();
    await live.until("it hangs for half a minute", () => performance.now() - held > 30_000);
    expect(way.givenUp).toBeGreaterThan(0);
    way.release();

    const shown = ["pod-1.east", "pod-1.west", "late-0.east", "late-1.east", "pod-4.east", "short-0.east"];
    const gone = new Set(["late-0", "pod-4", "short-0"].map((name) => `east/shop/${name}/web`));
    const found = async (): Promise<object> => ({
      nodes: shown.map((name) => nodes(`${name}.example.com`)),
      late: view.pairs().filter((pair) => pair.startsWith("late-0.east")).length,
      conflicts: (await live.status()).routes.Conflict,
      left: view.upstreams().filter(({ name }) => gone.has(name as string)).length,
    });
    // Of the stranger's route there are no nodes: its upstream is its own.
    const wanted = { nodes: [0, 1, 0, 1, undefined, undefined], late: 1, conflicts: 1, left: 0 };
    const isSo = async (): Promise<boolean> => isDeepStrictEqual(await found(), wanted);
    await live.until("all is as declared", isSo).catch(() => {});
    expect(await found()).toEqual(wanted);
    expect(JSON.stringify(view.gateway.admin.store.get("routes", "strange"))).toBe(strange);
    // The one that was given up came late, and was put right.
    const west1 = view.namedSince(begun).filter((name) => name === "PUT upstreams west/shop/pod-1/web");
    expect(west1.length).toBeGreaterThan(1);
    // Nothing that was there before went but what was deleted.
    const deleted = view.writes
      .filter(({ method }) => method === "DELETE")
      .map(({ changes }) => changes[0]?.before?.value);
    const names = new Set(deleted.map((value) => (value as { name?: string } | undefined)?.name));
    for (const name of ["east/shop/pod-0/web", "west/shop/pod-0/web", "west/shop/pod-4/web"])
      expect(names).not.toContain(name);
    // And it stays so.
    const { mark } = view;
    await live.post("audit");
    await flip("west", "pod-2", false);
    await scene.wrote(live, mark, ["PUT upstreams west/shop/pod-2/web"]);
  });
});
