import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startControllerManager } from "./control-plane/controller-manager.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { Kubelet } from "./control-plane/kubelet.ts";
import { createNamespace, podEndpoints } from "./control-plane/pods.ts";
import type { ServerProcess } from "./control-plane/server-process.ts";
import { declaring, Scene } from "./scene.ts";

const replicas = 50;
const many = 200;
/** The guard's default. */
const maxDeletes = 100;

describeReal(
  "Workloads that the controller manager moves",
  () => {
    let scene: Scene;
    let manager: ServerProcess;

    beforeAll(async () => {
      scene = await Scene.open({ clusters: ["east"] });
      manager = await startControllerManager(scene.plane.cluster("east").server);
      await createNamespace(scene.admin("east"), "shop");
    });

    afterEach(() => scene.end());

    afterAll(async () => {
      await manager?.close();
      await scene?.close();
    });

    it("A9: a Deployment of 50 Pods that is rolled writes one upstream, never without the Pods that serve, and no route", async () => {
      const admin = scene.admin("east");
      const { view } = scene;
      await using kubelet = await Kubelet.start(admin, "shop");
      const live = await scene.run();
      const host = "web.example.com";
      const template = (version: string): object => ({
        metadata: {
          ...declaring({ name: "web", port: 8080, host }),
          labels: { "apisix-translator.io/enabled": "true", app: "web", version },
        },
        spec: { nodeName: "node-1", containers: [{ name: "app", image: "app.invalid/app" }] },
      });
      await admin.create("/apis/apps/v1/namespaces/shop/deployments", {
        metadata: { name: "web" },
        spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template("1") },
      });
      const nodes = (): readonly string[] => view.nodesOf(host) ?? [];
      await live.until("50 nodes", () => nodes().length === replicas);
      const first = new Set(nodes());

      const from = view.mark;
      await admin.patch("/apis/apps/v1/namespaces/shop/deployments/web", {
        spec: { template: template("2") },
      });
      await live.until(
        "50 other nodes",
        () => nodes().length === replicas && nodes().every((node) => !first.has(node)),
      );
      expect(nodes()).toEqual(await podEndpoints(admin, "shop", 8080));
      const { "PUT upstreams": puts = 0, ...others } = view.tally(from);
      expect(others).toEqual({});
      const sizes = view.writes
        .slice(from)
        .map(({ body }) => (body as { readonly nodes: readonly unknown[] }).nodes.length);
      // A Deployment keeps three quarters available, and at most a quarter more than it wants.
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(Math.floor(replicas * 0.75));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.ceil(replicas * 1.25));
      expect(puts).toBeLessThanOrEqual(2 * replicas);
      expect(kubelet.addresses.size).toBe(2 * replicas);
    });

    it("a namespace with 200 Pods that is deleted: each is emptied, the guard holds what is over its limit until it is approved", async () => {
      const admin = scene.admin("east");
      const { view } = scene;
      await createNamespace(admin, "doomed");
      await scene.createPods("east", "doomed", many, { namespace: "doomed" });
      const live = await scene.run();
      const standing = (): number =>
        view.routes().filter(({ name }) => String(name).includes("/doomed/")).length;
      await live.until("200 routes", () => standing() === many);
      await live.until("all is written", async () => (await live.status()).queues.burst === 0);

      const from = view.mark;
      await using _kubelet = await Kubelet.start(admin, "doomed");
      await admin.delete("/api/v1/namespaces/doomed");
      await live.until(
        "the rest is held",
        async () => (await live.status()).guard.held === many - maxDeletes,
      );
      await live.until("half is deleted", () => view.tally(from)["DELETE upstreams"] === maxDeletes);
      expect(view.tally(from)).toEqual({
        ...{ "PUT upstreams": many, "DELETE routes": maxDeletes, "DELETE upstreams": maxDeletes },
      });
      await live.post(`guard/approve?batch=${(await live.status()).guard.batch ?? ""}`);
      await live.until("all are deleted", () => standing() === 0);
      await live.until("their upstreams too", () => view.tally(from)["DELETE upstreams"] === many);
      expect(view.tally(from)).toEqual({
        ...{ "PUT upstreams": many, "DELETE routes": many, "DELETE upstreams": many },
      });
      // Nothing of it is left in the cluster: the controller manager finds the namespace empty.
      await live.until(
        "the namespace is gone",
        async () => (await admin.request("GET", "/api/v1/namespaces/doomed")).status === 404,
      );
    });
  },
  ["etcd", "kube-apiserver", "kube-controller-manager"],
);
