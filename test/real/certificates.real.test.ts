import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { TcpProxy } from "../pipeline/tcp-proxy.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { kubeconfigFor } from "./control-plane/kubeconfig.ts";
import { createNamespace, podPath, reportRunning } from "./control-plane/pods.ts";
import { Scene } from "./scene.ts";
import type { TranslatorProcess } from "./translator-process.ts";

const count = 1100;

describeReal(
  "An API server whose certificate changes, and one that is restarted in the middle of a list",
  () => {
    let scene: Scene;

    beforeAll(async () => {
      // Lists come in pages then.
      const args = ["--feature-gates=WatchList=false"];
      scene = await Scene.open({ clusters: ["east", "west"], args });
      for (const { server } of scene.plane.clusters) await createNamespace(server.admin, "shop");
      for (const cluster of ["east", "west"]) await scene.createPods(cluster, "pod", 3);
    });

    afterEach(() => scene.end());

    afterAll(() => scene?.close());

    const server = (cluster: string) => scene.plane.cluster(cluster).server;
    /** Each Pod has its route. */
    const routed = async (live: TranslatorProcess): Promise<void> => {
      const all = await Promise.all(["east", "west"].map((name) => scene.admin(name).list("/api/v1/pods")));
      await live.until("every route", () => scene.view.routes().length === all.flat().length, 120_000);
    };
    const pods = async (live: TranslatorProcess, cluster: string) =>
      (await live.status()).clusters.find(({ name }) => name === cluster)?.kinds.pods;
    const flip = (cluster: string, name: string, ready: boolean): Promise<unknown> =>
      reportRunning(scene.admin(cluster), { namespace: "shop", name, ips: ["10.99.0.1"] }, ready);
    const followed = (live: TranslatorProcess, host: string, nodes: number): Promise<void> =>
      live.until(`${host} has ${nodes} nodes`, () => scene.view.nodesOf(host)?.length === nodes);
    const remove = (cluster: string, name: string): Promise<unknown> =>
      scene.admin(cluster).delete(podPath({ namespace: "shop", name }), { gracePeriodSeconds: 0 });
    const goes = (cluster: string, name: string): string[] =>
      ["PUT upstreams", "DELETE routes", "DELETE upstreams"].map(
        (act) => `${act} ${cluster}/shop/${name}/web`,
      );

    it("a certificate of the same authority changes nothing; one of another makes it degraded until the kubeconfig changes", async () => {
      const live = await scene.run();
      await routed(live);
      const { mark } = scene.view;
      await server("east").replaceCertificate("same");
      await server("east").process.restart();
      await flip("east", "pod-0", false);
      await followed(live, "pod-0.east.example.com", 0);

      await server("east").replaceCertificate("other");
      await server("east").process.restart();
      await remove("east", "pod-2");
      await live.until("east is degraded", async () => (await pods(live, "east"))?.state === "degraded");
      expect((await pods(live, "east"))?.reason).toMatch(/certificate/);
      await flip("west", "pod-0", false);
      await followed(live, "pod-0.west.example.com", 0);
      const unready = ["east", "west"].map((cluster) => `PUT upstreams ${cluster}/shop/pod-0/web`);
      expect(scene.view.namedSince(mark)).toEqual(unready);

      const { name, url, otherAuthority } = server("east");
      const { token } = scene.plane.cluster("east");
      await live.replaceKubeconfig("east", kubeconfigFor({ name, url, authority: otherAuthority }, token));
      await scene.wrote(live, mark, [...unready, ...goes("east", "pod-2")]);
      await server("east").replaceCertificate("same");
      await server("east").process.restart();
    });

    it("W4: restarted in the middle of its list: nothing is deleted by what was heard of it, and the next list does", async () => {
      await scene.createPods("west", "many", count);
      const before = await scene.run();
      await routed(before);
      await before.stop();
      await remove("west", "many-0");
      await remove("west", `many-${count - 1}`);
      const { mark } = scene.view;

      await using way = await TcpProxy.start(Number(new URL(server("west").url).port));
      // Beyond the first page, before the end.
      const half = way.holdAfter(1_000_000);
      const live = await scene.launch({}, {}, { west: way });
      await half;
      const { process } = server("west");
      await process.kill();
      await process.start();
      expect(scene.view.namedSince(mark)).toEqual([]);
      way.release();
      await scene.wrote(live, mark, [...goes("west", "many-0"), ...goes("west", `many-${count - 1}`)]);
    });
  },
);
