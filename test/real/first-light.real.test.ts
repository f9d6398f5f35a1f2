import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { describeReal } from "./control-plane/describe-real.ts";
import { createNamespace, createReadyPod, podPath, reportRunning } from "./control-plane/pods.ts";
import { declaring, Scene } from "./scene.ts";

const perCluster = 1000;

describeReal("Pods of two real clusters in one gateway", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.open({ clusters: ["east", "west"] });
    for (const { server } of scene.plane.clusters) await createNamespace(server.admin, "shop");
  });

  afterEach(() => scene.end());

  afterAll(() => scene?.close());

  it("a Pod is routed when Ready, emptied when not, relabelled away and back, mended and deleted", async () => {
    const east = scene.admin("east");
    const { view } = scene;
    const live = await scene.run();
    const place = { namespace: "shop", name: "web-0" };
    const web = { name: "web", port: "http", host: "web.example.com" };
    await createReadyPod(east, {
      ...{ ...place, ...declaring(web), ips: ["10.1.0.1"] },
      ports: [{ name: "http", containerPort: 8080 }],
    });
    await live.until("the route", () => view.nodesOf("web.example.com")?.join() === "10.1.0.1:8080");

    let from = view.mark;
    await reportRunning(east, { ...place, ips: ["10.1.0.1"] }, false);
    await live.until("no nodes", () => view.nodesOf("web.example.com")?.length === 0);
    await reportRunning(east, { ...place, ips: ["10.1.0.1"] }, true);
    await live.until("the node", () => view.nodesOf("web.example.com")?.length === 1);
    expect(view.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);

    from = view.mark;
    const label = (value: string | null): Promise<unknown> =>
      east.patch(podPath(place), { metadata: { labels: { "apisix-translator.io/enabled": value } } });
    await label(null);
    await live.until("emptied", () => view.nodesOf("web.example.com")?.length === 0);
    await label("true");
    await live.until("back", () => view.nodesOf("web.example.com")?.length === 1);
    expect(view.writesSince(from)).toEqual(["PUT upstreams", "PUT upstreams"]);

    from = view.mark;
    const annotate = (text: string): Promise<unknown> =>
      east.patch(podPath(place), { metadata: { annotations: { "apisix-translator.io/routes": text } } });
    await annotate("[{");
    await live.until("Invalid", async () => (await live.status()).routes.Invalid === 1);
    expect(view.writesSince(from)).toEqual([]);
    await annotate(JSON.stringify([{ ...web, host: "mended.example.com" }]));
    await live.until("the new host", () => view.nodesOf("mended.example.com")?.length === 1);
    expect(view.writesSince(from)).toEqual(["PUT routes"]);

    from = view.mark;
    await east.delete(podPath(place), { gracePeriodSeconds: 0 });
    await live.until("nothing", () => view.pairs().length === 0 && view.upstreams().length === 0);
    expect(view.writesSince(from)).toEqual(["PUT upstreams", "DELETE routes", "DELETE upstreams"]);
    expect(await live.stop()).toBe(0);
  });

  it("2,000 Pods in two clusters become exactly their routes; a stopped API server and a restart write nothing", async () => {
    const { view } = scene;
    const clusters = scene.plane.clusters.map(({ name }) => name);
    await Promise.all(clusters.map((cluster) => scene.createPods(cluster, "pod", perCluster)));
    let from = view.mark;
    const live = await scene.run();
    const expected = clusters.flatMap((cluster) =>
      Array.from({ length: perCluster }, (_, index) => `pod-${index}.${cluster}.example.com /*`),
    );
    const all = 2 * perCluster;
    const routed = (): Promise<void> =>
      live.until("every route", async () => (await live.status()).routes.Routed === all);
    await routed();
    await live.until("every write", () => view.mark - from >= 2 * all);
    expect(view.pairs()).toEqual(expected.toSorted());
    expect(view.upstreams().every(({ nodes }) => (nodes as unknown[]).length === 1)).toBe(true);
    expect(view.tally(from)).toEqual({ "PUT upstreams": all, "PUT routes": all });

    from = view.mark;
    const { process: server } = scene.plane.cluster("east").server;
    const is = (state: string): Promise<void> =>
      live.until(`east ${state}`, async () => (await live.status()).clusters[0]?.kinds.pods?.state === state);
    await server.stop();
    await is("degraded");
    await server.start();
    await is("synced");
    expect(await live.stop()).toBe(0);
    await live.start();
    await routed();
    expect(view.writesSince(from)).toEqual([]);
    expect(view.pairs()).toEqual(expected.toSorted());
  });
});
